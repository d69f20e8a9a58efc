// SPDX-License-Identifier: Apache-2.0

@_exported public import HTTPTypes
@_exported public import RestDocument
@_exported public import RestMapping
@_exported public import RestNetworking
@_exported public import RestOffline
@_exported public import RestPersistence
@_exported public import RestSync
@_exported public import RestTransport

#if canImport(Darwin)
@_exported public import RestURLSession
#else
@_exported public import RestCurl
#endif
