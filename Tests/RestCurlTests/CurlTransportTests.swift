// SPDX-License-Identifier: Apache-2.0

import RestCurl
import RestTransport
import TestSupport
import Testing

@Suite struct CurlTransportTests {
    @Test func reportsUnreadableAuthorityFile() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.tls.authorities = .only(.file("/nowhere/authority.pem"))
        let transport = CurlTransport(configuration: configuration)
        try await Adapter.curl.run("https://127.0.0.1:9/", over: transport) { client in
            let error = await transportError { _ = try await client.read("") }
            #expect(error?.code == .tlsFailed || error?.code == .connectionFailed)
        } end: {
            await transport.shutdown()
        }
    }
}
