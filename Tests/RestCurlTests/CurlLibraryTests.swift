// SPDX-License-Identifier: Apache-2.0

import RestCurl
import RestTransport
import TestSupport
import Testing

/// The choice of the version of HTTP by the version and the features of libcurl.
@Suite(.tags(.socket), .serialized) struct CurlLibraryTests {
    @Test(
        arguments: [
            (0x07_5801, true, false), (0x08_0701, true, false), (0x08_0E01, true, false),
            (0x08_0FFF, true, false), (0x08_1000, true, true), (0x08_1000, false, false),
            (0x08_1700, true, true), (0x09_0000, true, true), (0x09_0000, false, false),
        ] as [(UInt32, Bool, Bool)])
    func usesHTTP2OnlyWithTestedVersions(number: UInt32, hasHTTP2: Bool, usesHTTP2: Bool) {
        let library = CurlLibrary(version: .init(number: number), hasHTTP2: hasHTTP2)
        #expect(library.usesHTTP2 == usesHTTP2)
    }

    @Test func describesVersion() {
        #expect(CurlLibrary.Version(number: 0x07_5801).description == "7.88.1")
        #expect(CurlLibrary.oldestVersionForHTTP2.description == "8.16.0")
    }

    /// This server offers HTTP/2 to every client.
    @Test func usesVersionOfHTTPThatLibraryAllows() async throws {
        let authority = try TestAuthority()
        var tls = TLSConfiguration()
        tls.authorities = .only(.file(authority.certificate))
        try await HTTP2Server.run(.nginx, authority) { server in
            try await Adapter.curl.run(server.baseURL, tls: tls) { client in
                let text = String(decoding: try await client.read(""), as: UTF8.self)
                let version = CurlLibrary.current.usesHTTP2 ? "HTTP/2.0" : "HTTP/1.1"
                #expect(text.hasPrefix("\(version) "))
                let body = try await client.read("20/\(4 << 20)")
                #expect(body.count == 4 << 20)
            }
        }
    }
}
