// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A temporary certificate authority, and certificates that it or an unknown authority has issued.
///
/// The openssl command creates them in a temporary directory, with keys that are fast to generate.
package final class TestAuthority: Sendable {
    /// A kind of certificate.
    package enum Certificate: String, CaseIterable, Sendable {
        case good
        case wrongHost
        case wildcard
        case unknownAuthority
        case selfSigned
        case expired
        case notYetValid
        case weakKey
        case client
    }

    /// A failure of openssl with its output.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        /// Creates a failure.
        package init(description: String) {
            self.description = description
        }
    }

    /// The directory of all files.
    package let directory: URL
    /// A Boolean value that indicates whether the directory is removed with the authority.
    private let isTemporary: Bool

    /// Creates the authority and all certificates.
    package init() throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("restkit-tls-\(UUID().uuidString)", isDirectory: true)
        isTemporary = true
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try makeAuthority("authority")
        try makeAuthority("unknown-authority")
        for certificate in Certificate.allCases {
            try make(certificate)
        }
    }

    /// Opens the directory of an authority of another process, which removes it.
    package init(in directory: URL) {
        self.directory = directory
        isTemporary = false
    }

    deinit {
        guard isTemporary else { return }
        try? FileManager.default.removeItem(at: directory)
    }

    /// The path of the authority's certificate.
    package var certificate: String { path("authority.pem") }

    /// Returns the path of a certificate.
    package func certificate(_ certificate: Certificate) -> String {
        path("\(certificate.rawValue).pem")
    }

    /// Returns the path of a certificate's key.
    package func key(_ certificate: Certificate) -> String { path("\(certificate.rawValue).key") }

    /// Returns the pin of a certificate's key, computed by openssl.
    package func pin(_ certificate: Certificate) throws -> String {
        let key = path("\(certificate.rawValue).public")
        try Self.run(
            ["pkey", "-in", self.key(certificate), "-pubout", "-outform", "DER", "-out", key])
        let digest = path("\(certificate.rawValue).digest")
        try Self.run(["dgst", "-sha256", "-binary", "-out", digest, key])
        return try Data(contentsOf: URL(fileURLWithPath: digest)).base64EncodedString()
    }

    // MARK: Creating certificates

    private func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    private func makeAuthority(_ name: String) throws {
        try Self.run(
            Self.request(for: "/CN=\(name)", key: path("\(name).key"))
                + ["-x509", "-days", "30", "-out", path("\(name).pem")])
        try Data().write(to: URL(fileURLWithPath: path("\(name).index")))
        let configuration = """
            [ca]
            default_ca = self
            [self]
            database = \(path("\(name).index"))
            new_certs_dir = \(directory.path)
            certificate = \(path("\(name).pem"))
            private_key = \(path("\(name).key"))
            default_md = sha256
            policy = any
            copy_extensions = copy
            rand_serial = yes
            unique_subject = no
            [any]
            commonName = supplied
            """
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: path("\(name).cnf")))
    }

    private func make(_ certificate: Certificate) throws {
        let name = certificate.rawValue
        let hosts =
            switch certificate {
            case .wrongHost: "DNS:elsewhere.example"
            case .wildcard: "DNS:*.localhost"
            default: "DNS:localhost,IP:127.0.0.1"
            }
        let request =
            Self.request(
                for: "/CN=\(name)", key: path("\(name).key"), isWeak: certificate == .weakKey)
            + ["-addext", "subjectAltName=\(hosts)"]
        if certificate == .selfSigned {
            try Self.run(request + ["-x509", "-days", "30", "-out", path("\(name).pem")])
            return
        }
        try Self.run(request + ["-out", path("\(name).csr")])
        let authority = certificate == .unknownAuthority ? "unknown-authority" : "authority"
        let (start, end) =
            switch certificate {
            case .expired: ("20200101000000Z", "20210101000000Z")
            case .notYetValid: ("20480101000000Z", "20490101000000Z")
            default: ("20200101000000Z", "20490101000000Z")
            }
        try Self.run([
            "ca", "-batch", "-notext", "-config", path("\(authority).cnf"), "-startdate", start,
            "-enddate", end, "-in", path("\(name).csr"), "-out", path("\(name).pem"),
        ])
    }

    private static func request(for subject: String, key: String, isWeak: Bool = false) -> [String]
    {
        let kind =
            isWeak ? ["rsa:1024"] : ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        return ["req", "-new", "-newkey"] + kind + ["-nodes", "-keyout", key, "-subj", subject]
    }

    private static func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = try InstalledCommand.location(of: "openssl")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let message = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                description: "openssl \(arguments): \(String(decoding: message, as: UTF8.self))")
        }
    }
}
