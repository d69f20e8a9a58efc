// SPDX-License-Identifier: Apache-2.0
#ifndef LIBCURL_LOAD_H
#define LIBCURL_LOAD_H

#include <stddef.h>
#include <stdint.h>

// Requests by libcurl's multi interface and nothing else, from the calling thread.
struct libcurl_load;

// NULL when libcurl gives no handle.
struct libcurl_load *libcurl_load_open(const char *address, int in_flight);

// Makes `count` requests, `in_flight` at a time, and writes the nanoseconds of each to `times`.
// Returns 0, or -1 when a request failed or brought another number of bytes than expected.
int libcurl_load_run(struct libcurl_load *load, int count, size_t expected, uint64_t *times);

void libcurl_load_close(struct libcurl_load *load);

#endif
