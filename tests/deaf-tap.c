/*
 * deaf-tap - subscribes to everything on the bus and never reads any of it
 *
 *   deaf-tap [--home DIR]
 *
 * The worst monitor there can be: its queues fill up and stay full.  No stage
 * may be slowed by it.  Says "ready" once connected; runs until it is killed.
 */
#include <stdio.h>
#include <unistd.h>

#include "common/bus.h"
#include "common/log.h"
#include "common/stage.h"

int
main(int argc, char **argv)
{
	struct bus_socket *s;
	struct conf conf;
	struct bus *bus;
	enum stage_id id;
	char name[64];

	log_open("deaf-tap", LOG_WARN);
	conf_load(&conf, &argc, argv, 2);
	bus = bus_open();
	for (id = 0; id < STAGE_COUNT; id++) {
		s = bus_socket(bus, BUS_SUB);
		bus_limit(s, 1);
		snprintf(name, sizeof(name), "%s.pub", stage_name(id));
		if (bus_subscribe(s, "") == -1 ||
		    bus_connect(s, conf.home, name) == -1)
			fatal(1, "cannot connect to %s", name);
	}
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
