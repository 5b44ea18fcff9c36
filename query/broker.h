/*
 * broker - between clients that ask and workers that answer
 *
 *   clients ── DEALER → ROUTER query.sock ── broker ── ROUTER query-work.sock
 *                                                          ▲ DEALER
 *                                                        workers, its children
 *
 * A worker says that it is idle and gets one question at a time.  Workers are
 * started when a question finds none idle, up to query_workers.  A question
 * with `after` waits here until the store has come so far, so that no worker
 * does.
 */
#ifndef QUERY_BROKER_H
#define QUERY_BROKER_H

int broker_main(int argc, char **argv);

#endif
