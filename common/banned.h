/*
 * banned - functions that cut silently or cannot be used safely
 *
 * Included by the compiler's command line for every file, so that a use is a
 * compile error with the name of what to take instead.
 */
#ifndef COMMON_BANNED_H
#define COMMON_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#undef strcpy
#define strcpy(a, b) use_buf_add_instead_of_strcpy
#undef strcat
#define strcat(a, b) use_buf_add_instead_of_strcat
#undef strncpy
#define strncpy(a, b, n) use_buf_add_instead_of_strncpy
#undef strncat
#define strncat(a, b, n) use_buf_add_instead_of_strncat
#undef sprintf
#define sprintf(...) use_buf_addf_instead_of_sprintf
#undef vsprintf
#define vsprintf(...) use_buf_vaddf_instead_of_vsprintf
#undef strtok
#define strtok(a, b) use_slices_instead_of_strtok
#undef atoi
#define atoi(a) use_strtoll_instead_of_atoi
#undef localtime
#define localtime(a) use_time_functions_of_text_instead
#undef gmtime
#define gmtime(a) use_gmtime_r_instead

#endif
