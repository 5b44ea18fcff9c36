/*
 * refill - a package's own program, which may word an artifact better
 *
 * `filter COMMAND` in a package names a program in any language.  It is started
 * once and gets one JSON line for each artifact that the package is about to
 * make, with what the built-in ways have filled in:
 *
 *	{"package":"bugreport","domain":"default","user":"anna",
 *	 "fields":{"error":"...","repro_steps":["..."]},
 *	 "summary":"...","resolution":"...","confidence":850}
 *
 * and gives one JSON line back, of which every member may be missing:
 *
 *	{"fields":{"fix":"..."},"confidence":900}
 *
 * Fields of the schema that it names take the place of those it was given.  A
 * program that dies, is silent for exec_timeout, or answers with something
 * else changes nothing: the artifact is made as the built-in ways have it, and
 * package_faults counts it.  What it answered is in the section, so a restart
 * asks nothing again; a rebuild does, so a rebuild gives the same store only
 * where the program gives the same answers.
 */
#ifndef COMPACTOR_REFILL_H
#define COMPACTOR_REFILL_H

#include "compactor/compact.h"
#include "compactor/package.h"

void package_refill(struct compact *c, const struct package *p,
    struct msg_artifact *a);

#endif
