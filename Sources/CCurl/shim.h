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

static inline CURLcode ccurl_easy_set_progress(CURL *easy, curl_xferinfo_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_XFERINFOFUNCTION, value);
}

static inline CURLcode ccurl_easy_set_tls_context(CURL *easy, curl_ssl_ctx_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_SSL_CTX_FUNCTION, value);
}

static inline CURLcode ccurl_easy_set_resolver_start(CURL *easy, curl_resolver_start_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_RESOLVER_START_FUNCTION, value);
}

static inline CURLcode ccurl_easy_set_debug(CURL *easy, curl_debug_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_DEBUGFUNCTION, value);
}

// Returns the version of libcurl, as 0xXXYYZZ.
static inline unsigned int ccurl_version_number(void) {
    return curl_version_info(CURLVERSION_NOW)->version_num;
}

// Returns whether libcurl was built with HTTP/2.
static inline int ccurl_has_http2(void) {
    return (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP2) != 0;
}

// Returns the name and version of the TLS library, or NULL.
static inline const char *ccurl_tls_library(void) {
    return curl_version_info(CURLVERSION_NOW)->ssl_version;
}

// libcurl has no options for what follows. If it uses OpenSSL 3, that library is in the process, and
// its functions are called. Their signatures are part of its ABI.

// Declared here, as <dlfcn.h> would make types of the C library part of this module.
extern void *dlsym(void *handle, const char *name);

// Returns a function of the OpenSSL that libcurl uses, or NULL if libcurl uses another library, or
// if the process has another version of OpenSSL as well.
static inline void *ccurl_openssl_function(const char *name) {
#ifdef __APPLE__
    void *process = (void *)-2; // RTLD_DEFAULT
#else
    void *process = NULL; // RTLD_DEFAULT of glibc and musl
#endif
    const char *library = ccurl_tls_library();
    if (library == NULL || __builtin_strncmp(library, "OpenSSL/3.", 10) != 0) return NULL;
    const char *(*version)(int) = (const char *(*)(int))dlsym(process, "OpenSSL_version");
    const int version_string = 6; // OPENSSL_VERSION_STRING
    if (version == NULL
        || __builtin_strcmp(version(version_string), library + sizeof "OpenSSL/" - 1) != 0) {
        return NULL;
    }
    return dlsym(process, name);
}

// Lets OpenSSL tell the end of a connection without a close_notify alert from one with it.
static inline void ccurl_openssl_require_close_notify(void *context) {
    const unsigned long long ignore_unexpected_eof = 1 << 7; // SSL_OP_IGNORE_UNEXPECTED_EOF
    void *function = ccurl_openssl_function("SSL_CTX_clear_options");
    if (function != NULL) {
        typedef unsigned long long clear_options(void *, unsigned long long);
        ((clear_options *)function)(context, ignore_unexpected_eof);
    }
}

// Stops libcurl from writing keys to the file named by the environment variable SSLKEYLOGFILE.
static inline void ccurl_openssl_disable_key_log(void *context) {
    void *function = ccurl_openssl_function("SSL_CTX_set_keylog_callback");
    if (function != NULL) ((void (*)(void *, void *))function)(context, NULL);
}

// Returns the result of a function of OpenSSL for the connection in use, or -1 without one.
static inline int ccurl_openssl_query(CURL *easy, const char *name) {
    struct curl_tlssessioninfo *session = NULL;
    if ((curl_easy_getinfo)(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL
        || session->backend != CURLSSLBACKEND_OPENSSL || session->internals == NULL) {
        return -1;
    }
    void *function = ccurl_openssl_function(name);
    return function == NULL ? -1 : ((int (*)(const void *))function)(session->internals);
}

// Returns the number of decrypted bytes that libcurl has not read, or -1 if it is unknown.
static inline int ccurl_openssl_pending(CURL *easy) {
    return ccurl_openssl_query(easy, "SSL_pending");
}

// Returns whether a close_notify alert has arrived, or -1 if it is unknown.
static inline int ccurl_openssl_has_close_notify(CURL *easy) {
    const int received_shutdown = 2; // SSL_RECEIVED_SHUTDOWN
    int state = ccurl_openssl_query(easy, "SSL_get_shutdown");
    return state < 0 ? -1 : (state & received_shutdown) != 0;
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
