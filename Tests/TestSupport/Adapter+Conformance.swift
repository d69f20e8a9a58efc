// SPDX-License-Identifier: Apache-2.0

import RestCurl
package import RestTesting
import RestTransport
import RestURLSession

#if AsyncHTTPClient
import RestAsyncHTTPClient
#endif

extension Adapter {
    /// The checks of the conformance kit over the adapter, with its declared deviations.
    package var conformance: HTTPTransportConformance {
        switch self {
        case .curl: Self.conformanceOfCurl
        case .urlSession: Self.conformanceOfURLSession
        #if AsyncHTTPClient
        case .asyncHTTPClient: Self.conformanceOfAsyncHTTPClient
        #endif
        }
    }

    private static let authority = Result { try TestAuthority() }

    private static let conformanceOfCurl = HTTPTransportConformance(
        make: {
            // The file of authorities for which libcurl was built may not exist on this system.
            var configuration = CurlTransport.Configuration()
            configuration.tls.authorities = .only(.file(try authority.get().certificate))
            return CurlTransport(configuration: configuration)
        }, shutdown: { await $0.shutdown() },
        deviations: [
            HTTPTransportConformance.Deviation(
                "A body in an unknown coding is delivered as it came, for a cache or a reader to decode.",
                .fails(isIntermittent: false), checks: ["rejects an unknown content coding"])
        ])

    private static let conformanceOfURLSession = HTTPTransportConformance(
        make: { URLSessionTransport() }, shutdown: { $0.shutdown() },
        deviations: isLinux ? FoundationDeviations.onLinux : [])

    #if AsyncHTTPClient
    private static let conformanceOfAsyncHTTPClient = HTTPTransportConformance(
        make: {
            var configuration = AsyncHTTPClientTransport.Configuration()
            // A shutdown waits this long for a connection that is not answered.
            configuration.connectionTimeout = .seconds(2)
            return try AsyncHTTPClientTransport(configuration: configuration)
        }, shutdown: { await $0.shutdown() },
        deviations: [
            HTTPTransportConformance.Deviation(
                "A connection returns to the pool after the end of its response was delivered, so that the "
                    + "next request can be sent before it.",
                .fails(isIntermittent: true),
                checks: ["POST", "PATCH"].map { "reuses the connection of an empty \($0)" }),
            HTTPTransportConformance.Deviation(
                "The pool can give a connection to the next request before it reads the bytes that make "
                    + "the connection unsafe; the request then fails.",
                .fails(isIntermittent: true),
                checks: [
                    "a transfer coding in HTTP/1.0", "a transfer coding beside a length",
                    "bytes behind the last chunk", "bytes behind a body",
                    "bytes behind an empty body",
                    "a field with a malformed name", "a field with a control character",
                    "a protocol switch", "bytes behind 204",
                    "bytes behind 304", "bytes behind the response to HEAD",
                ].map { "leaves a connection after \($0)" }),
        ])
    #endif
}
