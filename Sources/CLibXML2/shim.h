// SPDX-License-Identifier: Apache-2.0
#ifndef CLIBXML2_SHIM_H
#define CLIBXML2_SHIM_H

// Apple's SDKs have the headers in libxml2 only.
#if __has_include(<libxml/parser.h>)
#include <libxml/parser.h>
#else
#include <libxml2/libxml/parser.h>
#endif

#endif
