/*
 * worker - thinks about one question at a time, and only reads
 *
 * Questions that need the index are answered in the process itself, which
 * keeps it open; all others by the verb's own program, a child.
 */
#ifndef QUERY_WORKER_H
#define QUERY_WORKER_H

#define WORKER_WORD "worker"

int worker_main(int argc, char **argv);

#endif
