// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
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

    /// The server rejects the record of the request, long after it has accepted the connection.
    @Test(arguments: Adapter.configurable, [HTTPRequest.Method.get, .post])
    func doesNotMistakeLaterAlertForRefusal(
        adapter: Adapter, method: HTTPRequest.Method
    ) async throws {
        let authority = try TestAuthority()
        var tls = TLSConfiguration()
        tls.authorities = .only(.file(authority.certificate))
        try await TLSServer.run(authority, .good, options: ["-tls1_2"]) { server in
            try await TLSRelay.runCorrupting(to: server.port) { relay in
                try await adapter.run(relay.baseURL, tls: tls) { client in
                    let request = try client.request(method, at: "a")
                    let error = await transportError { _ = try await client.send(request) }
                    #expect(error?.code == .connectionLost)
                    #expect(error?.stage != .connecting)
                    #expect(error.map { RetryPolicy.isUnsent($0) } == false)
                }
            }
        }
    }

    @Test(
        arguments: [
            ("tlsv13 alert certificate required", .clientCertificateRequired),
            ("SSLV3_ALERT_BAD_CERTIFICATE", .clientCertificateRefused),
            ("tlsv1 alert internal error", nil), ("sslv3 alert bad record mac", nil),
            ("sslv3 alert handshake failure", nil), ("something else", nil),
        ] as [(String, ConnectionFailure?)])
    func recognizesAlertsAboutClientCertificates(text: String, failure: ConnectionFailure?) {
        #expect(ConnectionFailure(clientCertificateAlert: text) == failure)
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
            (
                "OpenSSL/3.0.19: error:0A00014D:SSL routines::legacy sigalg disallowed or unsupported",
                .protocolVersion
            ),
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
