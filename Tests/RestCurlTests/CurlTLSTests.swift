// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestCurl
import RestTransport
import TestSupport
import Testing

/// The features of TLS for which libcurl has no option, so that CurlTransport calls OpenSSL.
@Suite(.tags(.socket), .serialized) struct CurlTLSTests {
    // The rest of the record is decrypted, so the socket is not readable.
    @Test func closesConnectionWithSurplusInRecord() async throws {
        let authority = try TestAuthority()
        var tls = TLSConfiguration()
        tls.authorities = .only(.file(authority.certificate))
        try await TLSServer.runInteractive(authority) { server in
            try await Adapter.curl.run(server.baseURL(), tls: tls) { client in
                let header = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
                async let sending = client.send(client.request(at: "first"))
                try server.waitForRequest()
                try server.send("\(header)fi")
                let response = try await sending
                var chunks = response.body.makeAsyncIterator()
                #expect(try await chunks.next() == Array("fi".utf8))
                try server.send("ve\(header)evil")
                #expect(try await chunks.next() == Array("ve".utf8))
                #expect(try await chunks.next() == nil)
                async let second = client.read("second")
                try server.waitForRequest()
                try server.send("\(header)good")
                #expect(try await second == Array("good".utf8))
            }
        }
    }

    // libcurl reads the environment once, so each case runs in a process of its own.
    @Test(arguments: [false, true])
    func writesKeysOnlyIfConfigured(writesKeyLog: Bool) async throws {
        await #expect(processExitsWith: .success) { [writesKeyLog] in
            let log = FileManager.default.temporaryDirectory
                .appendingPathComponent("restkit-keys-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: log) }
            unsafe setenv("SSLKEYLOGFILE", log.path, 1)
            let authority = try TestAuthority()
            var configuration = CurlTransport.Configuration()
            configuration.tls.authorities = .only(.file(authority.certificate))
            configuration.writesKeyLog = writesKeyLog
            let transport = CurlTransport(configuration: configuration)
            try await TLSServer.run(authority, .good) { server in
                try await Adapter.curl.run(server.baseURL(), over: transport) { client in
                    _ = try await client.read("")
                } end: {
                    await transport.shutdown()
                }
            }
            let keys = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            #expect(keys.isEmpty != writesKeyLog)
        }
    }
}
