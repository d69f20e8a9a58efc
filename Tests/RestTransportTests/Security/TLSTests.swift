// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

/// TLS connections of every adapter to servers of openssl.
@Suite(.serialized) struct TLSTests {
    private static let authority = Result {
        try SystemAuthorities.directory.map(TestAuthority.init) ?? TestAuthority()
    }

    /// The adapters that can trust the test's authority: URLSession on Linux does only in a process in which
    /// the system does.
    static let trusting = Adapter.allCases.filter {
        Adapter.configurable.contains($0) || SystemAuthorities.directory != nil
    }

    /// A flaw of a server, and the reason that transports report.
    struct Flaw: Sendable, CustomTestStringConvertible {
        var name: String
        var certificate = TestAuthority.Certificate.good
        var options: [String] = []
        var host = "127.0.0.1"
        var reason: String
        /// The reason that AsyncHTTPClient gives: BoringSSL does not report why it does not trust a
        /// certificate.
        var boringReason: String?

        var testDescription: String { name }
    }

    static let flaws = [
        Flaw(
            name: "wrong host", certificate: .wrongHost,
            reason: "the certificate is for another host"),
        Flaw(
            name: "wildcard that is one label short", certificate: .wildcard, host: "localhost",
            reason: "the certificate is for another host"),
        Flaw(
            name: "unknown authority", certificate: .unknownAuthority,
            reason: "the certificate is not trusted"),
        Flaw(
            name: "self-signed", certificate: .selfSigned,
            reason: "the certificate is self-signed",
            boringReason: "the certificate is not trusted"),
        Flaw(
            name: "expired", certificate: .expired, reason: "the certificate has expired",
            boringReason: "the certificate is not trusted"),
        Flaw(
            name: "not yet valid", certificate: .notYetValid,
            reason: "the certificate is not valid yet",
            boringReason: "the certificate is not trusted"),
        Flaw(
            name: "RSA with 1024 bits", certificate: .weakKey,
            options: ["-cipher", "DEFAULT:@SECLEVEL=0"],
            reason: "a key or digest of the certificate is too weak"),
        Flaw(
            name: "TLS 1.1 only", options: ["-tls1_1", "-cipher", "DEFAULT:@SECLEVEL=0"],
            reason: "the host supports no TLS version that is allowed"),
        Flaw(
            name: "asks for a client certificate",
            options: ["-Verify", "1", "-verify_return_error", "-CAfile", "AUTHORITY"],
            reason: "the host requires a client certificate"),
    ]

    @Test(.threat("T20"), arguments: trusting)
    func connectsToServerOfTrustedAuthority(adapter: Adapter) async throws {
        let authority = try Self.authority.get()
        for version in ["-tls1_2", "-tls1_3"] {
            try await TLSServer.run(authority, .good, options: [version]) { server in
                try await Self.withClient(of: server.baseURL(), adapter) { client in
                    let response = try await client.send(client.request(at: ""))
                    #expect(response.status == .ok)
                    let body = try await response.collect()
                    #expect(!body.isEmpty)
                }
            }
        }
    }

    @Test(.threat("T20"), arguments: trusting, flaws)
    func rejectsInvalidServers(adapter: Adapter, flaw: Flaw) async throws {
        let authority = try Self.authority.get()
        let options = flaw.options.map { $0 == "AUTHORITY" ? authority.certificate : $0 }
        try await TLSServer.run(authority, flaw.certificate, options: options) { server in
            try await Self.withClient(of: server.baseURL(flaw.host), adapter) { client in
                let error = await transportError { _ = try await client.read("") }
                #expect(error?.code == .tlsFailed)
                #expect(error?.stage == .connecting)
                switch adapter {
                case .curl: #expect(error?.reason == flaw.reason)
                case .urlSession:
                    // The reasons of Apple's Foundation are not known.
                    #expect(isLinux ? error?.reason == flaw.reason : error?.reason.isEmpty == false)
                #if AsyncHTTPClient
                case .asyncHTTPClient:
                    #expect(error?.reason == flaw.boringReason ?? flaw.reason)
                #endif
                }
            }
        }
    }

    #if os(Linux)
    // The two tests above with URLSession on Linux, in a process in which the system trusts the test's
    // authority. They alone run in that process.
    @Test(.threat("T20"), .enabled(if: SystemAuthorities.areReplaceable))
    func provesTrustOfSystemAuthorities() throws {
        let (status, output) = try SystemAuthorities.runTests(
            "TLSTests/(connectsToServerOfTrustedAuthority|rejectsInvalidServers)",
            trusting: try Self.authority.get())
        #expect(status == 0, "\(output)")
        #expect(output.contains("Test run with 2 tests"), "\(output)")
    }
    #endif

    @Test(.threat("T20"), arguments: Adapter.allCases)
    func rejectsServerWithoutTLS(adapter: Adapter) async throws {
        try await LoopbackSocketServer.run { connection in
            // The client reads the response before the end of the connection.
            guard connection.discardBytes() > 0 else { return }
            connection.send(Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8))
            connection.waitUntilClosed()
        } body: { server in
            let baseURL = "https://127.0.0.1:\(server.port)/"
            try await Self.withClient(of: baseURL, adapter) { client in
                let error = await transportError { _ = try await client.read("") }
                #expect(error?.code == .tlsFailed)
                #expect(error?.reason == "the host does not use TLS")
            }
        }
    }

    @Test(.threat("T20"), arguments: Adapter.allCases)
    func trustsOnlySystemAuthoritiesByDefault(adapter: Adapter) async throws {
        try await TLSServer.run(try Self.authority.get(), .good) { server in
            try await adapter.run(server.baseURL()) { client in
                let error = await transportError { _ = try await client.read("") }
                #expect(error?.code == .tlsFailed)
            }
        }
    }

    @Test(arguments: Adapter.configurable)
    func presentsClientCertificateOnRequest(adapter: Adapter) async throws {
        let authority = try Self.authority.get()
        let options = ["-Verify", "1", "-verify_return_error", "-CAfile", authority.certificate]
        var tls = TLSConfiguration()
        tls.authorities = .only(.file(authority.certificate))
        tls.identity = TLSConfiguration.Identity(
            certificates: .text(
                try String(contentsOfFile: authority.certificate(.client), encoding: .utf8)),
            privateKey: .text(try String(contentsOfFile: authority.key(.client), encoding: .utf8)))
        try await TLSServer.run(authority, .good, options: options) { server in
            try await Self.withClient(tls, adapter, server.baseURL()) { client in
                let body = try await client.read("")
                #expect(!body.isEmpty)
            }
        }
    }

    @Test(arguments: Adapter.configurable)
    func readsAuthoritiesFromMemory(adapter: Adapter) async throws {
        let authority = try Self.authority.get()
        var tls = TLSConfiguration()
        tls.authorities = .only(
            .text(try String(contentsOfFile: authority.certificate, encoding: .utf8)))
        try await TLSServer.run(authority, .good) { server in
            try await Self.withClient(tls, adapter, server.baseURL()) { client in
                let body = try await client.read("")
                #expect(!body.isEmpty)
            }
        }
    }

    @Test(arguments: Adapter.configurable)
    func requiresPinnedKey(adapter: Adapter) async throws {
        let authority = try Self.authority.get()
        let right = try PublicKeyPin(sha256: authority.pin(.good))
        let wrong = try PublicKeyPin(sha256: authority.pin(.client))
        try await TLSServer.run(authority, .good) { server in
            var tls = TLSConfiguration()
            tls.authorities = .only(.file(authority.certificate))
            tls.pins = ["127.0.0.1": [wrong, right], "localhost": [wrong]]
            try await Self.withClient(tls, adapter, server.baseURL()) { client in
                let body = try await client.read("")
                #expect(!body.isEmpty)
            }
            try await Self.withClient(tls, adapter, server.baseURL("localhost")) { client in
                let error = await transportError { _ = try await client.read("") }
                #expect(error?.code == .tlsFailed)
                #expect(error?.reason == "the host's public key is not one of those pinned")
            }
            // A pin does not replace the other checks.
            tls.authorities = .system
            try await Self.withClient(tls, adapter, server.baseURL()) { client in
                let error = await transportError { _ = try await client.read("") }
                #expect(error?.code == .tlsFailed)
            }
        }
    }

    @Test(arguments: Adapter.configurable)
    func rejectsTLSBelowMinimumVersion(adapter: Adapter) async throws {
        let authority = try Self.authority.get()
        var tls = TLSConfiguration()
        tls.authorities = .only(.file(authority.certificate))
        tls.minimumVersion = .tls13
        try await TLSServer.run(authority, .good, options: ["-tls1_2"]) { server in
            try await Self.withClient(tls, adapter, server.baseURL()) { client in
                let error = await transportError { _ = try await client.read("") }
                #expect(error?.code == .tlsFailed)
            }
        }
    }

    // MARK: Clients that trust the test's authority

    private static func withClient<Value>(
        of baseURL: String, _ adapter: Adapter, body: (HTTPClient) async throws -> Value
    ) async throws -> Value {
        var tls = TLSConfiguration()
        tls.authorities = .only(.file(try authority.get().certificate))
        return try await withClient(tls, adapter, baseURL, body: body)
    }

    private static func withClient<Value>(
        _ tls: TLSConfiguration, _ adapter: Adapter, _ baseURL: String,
        body: (HTTPClient) async throws -> Value
    ) async throws -> Value {
        // URLSession on Linux trusts only the system's authorities.
        let isConfigurable = Adapter.configurable.contains(adapter)
        return try await adapter.run(baseURL, tls: isConfigurable ? tls : .default, body: body)
    }
}
