/*
 * query - answer questions, each in a process of its own
 *
 * Takes questions from clients and hands each to an idle worker: see broker.c.
 * A worker only reads: see worker.c.  A slow question holds up neither another
 * one nor the pipeline, and a worker that dies takes its one answer with it.
 * See skein-query(8).
 */
#include <string.h>

#include "query/broker.h"
#include "query/worker.h"

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], WORKER_WORD) == 0)
		return worker_main(argc - 1, argv + 1);
	return broker_main(argc, argv);
}
