// SPDX-License-Identifier: Apache-2.0
#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <curl/curl.h>

// Swift cannot call variadic C functions, so each type of argument has its own function.

static inline CURLcode ccurl_easy_set_long(CURL *easy, CURLoption option, long value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_easy_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_easy_set_text(CURL *easy, CURLoption option, const char *value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return (curl_easy_setopt)(easy, option, value);
}

// Copies the bytes.
static inline CURLcode ccurl_easy_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return (curl_easy_setopt)(easy, option, &blob);
}

static inline CURLcode ccurl_easy_set_write(CURL *easy, CURLoption option, curl_write_callback value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_easy_set_read(CURL *easy, curl_read_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_READFUNCTION, value);
}

static inline CURLcode ccurl_easy_set_seek(CURL *easy, curl_seek_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLcode ccurl_easy_set_prereq(CURL *easy, curl_prereq_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode ccurl_easy_set_sockopt(CURL *easy, curl_sockopt_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_SOCKOPTFUNCTION, value);
}

static inline CURLcode ccurl_easy_set_resolver_start(CURL *easy, curl_resolver_start_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_RESOLVER_START_FUNCTION, value);
}

// Returns the name and version of the TLS library, or NULL.
static inline const char *ccurl_tls_library(void) {
    return curl_version_info(CURLVERSION_NOW)->ssl_version;
}

static inline long ccurl_easy_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    (curl_easy_getinfo)(easy, info, &value);
    return value;
}

static inline curl_off_t ccurl_easy_get_size(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    (curl_easy_getinfo)(easy, info, &value);
    return value;
}

static inline void *ccurl_easy_get_private(CURL *easy) {
    char *value = NULL;
    (curl_easy_getinfo)(easy, CURLINFO_PRIVATE, &value);
    return value;
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}

// Returns the next finished transfer, or NULL, and stores its result in `result`.
static inline CURL *ccurl_multi_next_finished(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

#endif
