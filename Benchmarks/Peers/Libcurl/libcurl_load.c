// SPDX-License-Identifier: Apache-2.0
#include "libcurl_load.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <time.h>

struct transfer {
    CURL *easy;
    size_t received;
    uint64_t start;
};

struct libcurl_load {
    CURLM *multi;
    int in_flight;
    struct transfer *transfers;
};

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    ((struct transfer *)context)->received += size * count;
    return size * count;
}

static void begin(struct libcurl_load *load, struct transfer *transfer) {
    transfer->received = 0;
    transfer->start = now();
    curl_multi_add_handle(load->multi, transfer->easy);
}

struct libcurl_load *libcurl_load_open(const char *address, int in_flight) {
    struct libcurl_load *load = calloc(1, sizeof *load);
    if (load == NULL) return NULL;
    load->in_flight = in_flight;
    load->multi = curl_multi_init();
    load->transfers = calloc((size_t)in_flight, sizeof *load->transfers);
    if (load->multi == NULL || load->transfers == NULL) {
        libcurl_load_close(load);
        return NULL;
    }
    curl_multi_setopt(load->multi, CURLMOPT_MAXCONNECTS, (long)in_flight);
    for (int i = 0; i < in_flight; i++) {
        struct transfer *transfer = &load->transfers[i];
        transfer->easy = curl_easy_init();
        if (transfer->easy == NULL) {
            libcurl_load_close(load);
            return NULL;
        }
        curl_easy_setopt(transfer->easy, CURLOPT_URL, address);
        curl_easy_setopt(transfer->easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(transfer->easy, CURLOPT_BUFFERSIZE, 65536L);
        curl_easy_setopt(transfer->easy, CURLOPT_PRIVATE, transfer);
        curl_easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, receive);
        curl_easy_setopt(transfer->easy, CURLOPT_WRITEDATA, transfer);
    }
    return load;
}

int libcurl_load_run(struct libcurl_load *load, int count, size_t expected, uint64_t *times) {
    int begun = 0, ended = 0, result = 0, running = 0, left = 0;
    while (begun < load->in_flight && begun < count) begin(load, &load->transfers[begun++]);
    while (ended < count && result == 0) {
        curl_multi_perform(load->multi, &running);
        CURLMsg *message;
        int finished = 0;
        while ((message = curl_multi_info_read(load->multi, &left)) != NULL) {
            if (message->msg != CURLMSG_DONE) continue;
            struct transfer *transfer = NULL;
            CURLcode code = message->data.result;
            CURL *easy = message->easy_handle;
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
            curl_multi_remove_handle(load->multi, easy);
            if (code != CURLE_OK || transfer->received != expected) result = -1;
            times[ended++] = now() - transfer->start;
            finished = 1;
            if (begun < count) {
                begin(load, transfer);
                begun++;
            }
        }
        if (!finished && ended < count) curl_multi_poll(load->multi, NULL, 0, 1000, NULL);
    }
    return result;
}

void libcurl_load_close(struct libcurl_load *load) {
    if (load == NULL) return;
    for (int i = 0; load->transfers != NULL && i < load->in_flight; i++) {
        if (load->transfers[i].easy == NULL) continue;
        if (load->multi != NULL) curl_multi_remove_handle(load->multi, load->transfers[i].easy);
        curl_easy_cleanup(load->transfers[i].easy);
    }
    if (load->multi != NULL) curl_multi_cleanup(load->multi);
    free(load->transfers);
    free(load);
}
