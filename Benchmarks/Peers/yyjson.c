// SPDX-License-Identifier: Apache-2.0
//
// Measures yyjson as the benchmarks of the package measure us: processor time of the thread for
// one pass from bytes to a tree that can be asked, letting go of it included, without changing the
// input. Prints the median in nanoseconds for each file named.

#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "yyjson.h"

enum { warmups = 3, most_passes = 10000 };

// How long the passes over one file may take together.
static const int64_t budget = 700 * 1000 * 1000;

static int64_t processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static char *contents(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long end = ftell(file);
    rewind(file);
    char *bytes = end < 0 ? NULL : malloc((size_t)end + 1);
    *size = bytes ? fread(bytes, 1, (size_t)end, file) : 0;
    fclose(file);
    return bytes;
}

static int ascending(const void *left, const void *right) {
    int64_t difference = *(const int64_t *)left - *(const int64_t *)right;
    return (difference > 0) - (difference < 0);
}

static int64_t pass(char *bytes, size_t size) {
    int64_t start = processor_time();
    yyjson_doc *document = yyjson_read(bytes, size, 0);
    if (!document) return -1;
    yyjson_doc_free(document);
    return processor_time() - start;
}

int main(int count, char **paths) {
    static int64_t times[most_passes];
    for (int index = 1; index < count; index++) {
        size_t size = 0;
        char *bytes = contents(paths[index], &size);
        if (!bytes) return 2;
        for (int warmup = 0; warmup < warmups; warmup++) {
            if (pass(bytes, size) < 0) return 3;
        }
        int passes = 0;
        for (int64_t spent = 0; spent < budget && passes < most_passes; passes++) {
            times[passes] = pass(bytes, size);
            spent += times[passes];
        }
        qsort(times, (size_t)passes, sizeof times[0], ascending);
        printf("%lld\n", (long long)times[passes / 2]);
        free(bytes);
    }
    return 0;
}
