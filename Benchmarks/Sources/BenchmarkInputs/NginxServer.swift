// SPDX-License-Identifier: Apache-2.0

public import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An nginx process on the loopback interface with one worker that serves files, with entity tags.
///
/// Requests below `accepted/` are answered with status 204, whatever their method.
///
/// A server written in Swift would dominate the measurement.
public struct NginxServer: Sendable {
    /// An error while the server starts.
    public struct Failure: Error, CustomStringConvertible {
        /// The reason.
        public let description: String
    }

    /// The path of nginx; `nil` if it is not installed.
    public static let executable: URL? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let places = path.split(separator: ":").map(String.init)
        // Debian and Homebrew install it in directories that may be missing from the path.
        return (places + ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"])
            .map { URL(fileURLWithPath: $0).appendingPathComponent("nginx") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    /// The URL of the directory of the files, with a slash at its end.
    public let address: String
    /// The directory of the files.
    public let root: URL

    private let process: Process
    private let directory: URL

    /// Starts the server and waits until it accepts connections.
    ///
    /// - Parameter files: The content of the files by their names.
    /// - Throws: ``Failure`` if nginx is absent or does not accept connections, or an error of a file.
    public init(serving files: [String: Data]) async throws {
        guard let executable = Self.executable else {
            throw Failure(description: "nginx is not installed")
        }
        let port = try Self.unusedPort()
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("restkit-benchmark-\(UUID().uuidString)", isDirectory: true)
        root = directory.appendingPathComponent("root", isDirectory: true)
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        for (name, data) in files { try data.write(to: root.appendingPathComponent(name)) }
        let configuration = directory.appendingPathComponent("nginx.conf")
        try Self.configuration(port: port, directory: directory.path)
            .write(to: configuration, atomically: true, encoding: .utf8)
        process = Process()
        process.executableURL = executable
        process.arguments = ["-p", directory.path, "-c", configuration.path, "-e", "stderr"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        address = "http://127.0.0.1:\(port)/"
        for _ in 0..<200 {
            if Self.accepts(port) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        stop()
        throw Failure(description: "nginx does not accept connections")
    }

    /// Ends the server and removes its files.
    public func stop() {
        // The child inherits a signal mask, so only a signal that cannot be blocked ends it.
        _ = kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)
    }

    // A single process without workers, so that ending it leaves no child behind.
    private static func configuration(port: UInt16, directory: String) -> String {
        """
        daemon off;
        master_process off;
        worker_processes 1;
        pid "\(directory)/nginx.pid";
        error_log stderr crit;
        events { worker_connections 256; }
        http {
            access_log off;
            types { application/json json; }
            sendfile on;
            tcp_nodelay on;
            keepalive_timeout 600s;
            keepalive_requests 1000000000;
            open_file_cache max=16;
            client_body_temp_path "\(directory)/body";
            proxy_temp_path "\(directory)/proxy";
            fastcgi_temp_path "\(directory)/fastcgi";
            uwsgi_temp_path "\(directory)/uwsgi";
            scgi_temp_path "\(directory)/scgi";
            server {
                listen 127.0.0.1:\(port);
                root "\(directory)/root";
                location /accepted/ { return 204; }
            }
        }
        """
    }

    // MARK: - Ports

    private static func unusedPort() throws -> UInt16 {
        try withSocket { socket in
            try unsafe withLoopbackAddress(port: 0) { address, length in
                guard unsafe bind(socket, address, length) == 0 else {
                    throw Failure(description: "no port on the loopback interface")
                }
            }
            var name = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = unsafe withUnsafeMutablePointer(to: &name) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    unsafe getsockname(socket, generic, &length)
                }
            }
            guard result == 0 else {
                throw Failure(description: "the loopback port has no name")
            }
            return UInt16(bigEndian: name.sin_port)
        }
    }

    private static func accepts(_ port: UInt16) -> Bool {
        let result = try? withSocket { socket in
            unsafe withLoopbackAddress(port: port) { address, length in
                unsafe connect(socket, address, length)
            }
        }
        return result == 0
    }

    private static func withSocket<Result>(
        _ body: (Int32) throws -> Result
    ) throws -> Result {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Failure(description: "no socket") }
        defer { _ = close(descriptor) }
        return try body(descriptor)
    }

    private static func withLoopbackAddress<Result>(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
    ) rethrows -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return try unsafe withUnsafePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                try unsafe body(generic, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
