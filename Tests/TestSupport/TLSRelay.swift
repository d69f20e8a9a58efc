// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A relay on the loopback interface between clients of TLS and a server.
///
/// It runs in a python3 process, so that a script of a loopback server can speak HTTP/2 over TLS.
package final class TLSRelay: Sendable {
    /// The base URL of the relay, which ends with a slash.
    package let baseURL: String

    private let process: Process

    private init(_ arguments: [String]) throws {
        process = Process()
        process.executableURL = try InstalledCommand.location(of: "python3")
        process.arguments = ["-c", Self.script] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // The line with the port follows once the socket listens.
        var text = ""
        while !text.hasSuffix("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else {
                throw TestAuthority.Failure(description: "the relay ended: \(text)")
            }
            text += String(decoding: data, as: UTF8.self)
        }
        baseURL = "https://127.0.0.1:\(text.dropLast())/"
    }

    /// Runs a relay that decrypts for a server without TLS.
    ///
    /// - Parameters:
    ///   - port: The port of the server.
    ///   - authority: The authority of the relay's certificate.
    ///   - protocols: The protocols of ALPN that the relay accepts, the preferred one first.
    ///   - body: A closure with the relay as its parameter.
    /// - Returns: The result of `body`.
    /// - Throws: An error of `body`, or ``TestAuthority/Failure`` if the relay does not start.
    package static func run<Value>(
        to port: Int, _ authority: TestAuthority, protocols: [String] = ["h2"],
        body: (TLSRelay) async throws -> Value
    ) async throws -> Value {
        try await run(
            ["decrypt", "\(port)", authority.certificate(.good), authority.key(.good)] + protocols,
            body: body)
    }

    /// Runs a relay that changes a bit of the first record of application data to a TLS server, which
    /// the server reports with an alert.
    ///
    /// - Parameters:
    ///   - port: The port of the server, whose version of TLS is 1.2.
    ///   - body: A closure with the relay as its parameter.
    /// - Returns: The result of `body`.
    /// - Throws: An error of `body`, or ``TestAuthority/Failure`` if the relay does not start.
    package static func runCorrupting<Value>(
        to port: Int, body: (TLSRelay) async throws -> Value
    ) async throws -> Value {
        try await run(["corrupt", "\(port)"], body: body)
    }

    private static func run<Value>(
        _ arguments: [String], body: (TLSRelay) async throws -> Value
    ) async throws -> Value {
        let relay = try TLSRelay(arguments)
        defer { relay.process.killAndWait() }
        return try await body(relay)
    }

    private static let script = """
        import select, socket, ssl, sys, threading

        mode, port = sys.argv[1], int(sys.argv[2])
        if mode == "decrypt":
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[3], sys.argv[4])
            context.set_alpn_protocols(sys.argv[5:])

        class Corruption:
            def __init__(self):
                self.rest = b""
                self.is_done = False

            def __call__(self, data):
                self.rest += data
                result = b""
                while len(self.rest) >= 5:
                    end = 5 + int.from_bytes(self.rest[3:5], "big")
                    if len(self.rest) < end:
                        break
                    record, self.rest = bytearray(self.rest[:end]), self.rest[end:]
                    if record[0] == 23 and not self.is_done:
                        record[-1] ^= 1
                        self.is_done = True
                    result += record
                return result

        def relay(client):
            server = socket.create_connection(("127.0.0.1", port))
            change = Corruption() if mode == "corrupt" else bytes
            try:
                if mode == "decrypt":
                    client = context.wrap_socket(client, server_side=True)
                while True:
                    pending = mode == "decrypt" and client.pending()
                    ready = [client] if pending else select.select([client, server], [], [])[0]
                    for source in ready:
                        data = source.recv(65536)
                        if not data:
                            return
                        if source is client:
                            server.sendall(change(data))
                        else:
                            client.sendall(data)
            except OSError:
                pass
            finally:
                client.close()
                server.close()

        listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        print(listener.getsockname()[1], flush=True)
        while True:
            client = listener.accept()[0]
            threading.Thread(target=relay, args=(client,), daemon=True).start()
        """
}
