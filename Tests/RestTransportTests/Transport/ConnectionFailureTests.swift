// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTesting
import RestTransport
import TestSupport
import Testing

/// The reasons of failed connections, in the words of all transports.
@Suite(.tags(.socket)) struct ConnectionFailureTests {
    @Test(arguments: Adapter.allCases)
    func distinguishesUnknownAndRefusingHosts(adapter: Adapter) async throws {
        try await LoopbackSocketServer.runRefusing { refusing in
            for (baseURL, reason) in [
                ("http://no-such-host.invalid/", "the host name cannot be resolved"),
                (refusing, "the host refused the connection"),
            ] {
                try await adapter.run(baseURL) { client in
                    let error = await transportError { _ = try await client.read("a") }
                    #expect(error?.code == .connectionFailed)
                    #expect(error?.reason == reason)
                    let text = "connectionFailed while connecting: GET \(baseURL)a: \(reason)"
                    #expect(error?.localizedDescription == text)
                    #expect(error?.failureReason == reason)
                }
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func saysThatTransportWasShutDown(adapter: Adapter) async throws {
        try await LoopbackServer.run { _ in
            .json("{}")
        } body: { server in
            let client = try await adapter.run(server.baseURL) { client in
                _ = try await client.read("a")
                return client
            }
            let error = await transportError { _ = try await client.read("a") }
            #expect(error?.code == .closed)
            #expect(
                error?.localizedDescription
                    == "closed while preparing: GET \(server.baseURL)a: the transport was shut down"
            )
        }
    }

    @Test(
        arguments: [
            ("error:0A000086:SSL routines::certificate verify failed", .untrusted),
            ("SSL certificate problem: certificate has expired", .expired),
            ("SSL: no alternative certificate subject name matches target host name", .wrongHost),
            ("SSL certificate problem: self-signed certificate", .selfSigned),
            (
                "SSL certificate problem: self-signed certificate in certificate chain", .untrusted
            ),
            ("TLSV1_ALERT_PROTOCOL_VERSION", .protocolVersion),
            ("error:10000102:SSL routines:OPENSSL_internal:UNSUPPORTED_PROTOCOL", .protocolVersion),
            ("WRONG_VERSION_NUMBER", .plainText),
            ("tlsv13 alert certificate required", .clientCertificateRequired),
            ("SSLV3_ALERT_BAD_CERTIFICATE", .clientCertificateRefused),
            ("sslv3 alert handshake failure", .handshakeRefused),
            ("something else", .tls),
        ] as [(String, ConnectionFailure)])
    func recognizesMessagesOfTLSLibraries(text: String, failure: ConnectionFailure) {
        #expect(ConnectionFailure(tlsMessage: text) == failure)
        #expect(failure.code == .tlsFailed)
    }
}
