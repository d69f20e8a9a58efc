// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The file of the authorities that the system trusts, which a process of its own can see replaced.
///
/// URLSession on Linux trusts these authorities only. The tests of a valid server therefore run in a process
/// with a private mount namespace, in which the file is that of the test's authority.
package enum SystemAuthorities {
    private static let file = "/etc/ssl/certs/ca-certificates.crt"
    private static let variable = "RESTKIT_TRUSTED_AUTHORITY"

    /// The directory of the test's authority that the system trusts in this process; `nil` if the
    /// authorities are the system's own.
    package static let directory = ProcessInfo.processInfo.environment[variable].map {
        URL(fileURLWithPath: $0, isDirectory: true)
    }

    /// A Boolean value that indicates whether the file can be replaced for a process.
    ///
    /// It needs the rights of root, or user namespaces, which containers often forbid.
    package static let areReplaceable = isLinux && options != nil

    /// The options of `unshare` with which the file can be replaced.
    private static let options: [String]? = [["--mount"], ["--mount", "--map-root-user"]].first {
        let result = try? run($0, replacing: file, ["true"], [:])
        return result?.status == 0
    }

    /// Runs tests of this program in a process that trusts an authority in place of the system's.
    ///
    /// - Parameters:
    ///   - filter: The regular expression that selects the tests.
    ///   - authority: The authority.
    /// - Returns: The exit status and the output of the process.
    /// - Throws: An error if the process cannot be started.
    package static func runTests(
        _ filter: String, trusting authority: TestAuthority
    ) throws -> (status: Int32, output: String) {
        var environment = ProcessInfo.processInfo.environment
        environment[variable] = authority.directory.path
        environment["RESTKIT_ROWS"] = nil  // the rows of this process are those of its parent
        return try run(
            options ?? [], replacing: authority.certificate,
            [CommandLine.arguments[0], "--testing-library", "swift-testing", "--filter", filter],
            environment)
    }

    private static func run(
        _ options: [String], replacing source: String, _ command: [String],
        _ environment: [String: String]
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = try InstalledCommand.location(of: "unshare")
        process.arguments =
            options + ["sh", "-c", "mount --bind \"$0\" \(file) && exec \"$@\"", source] + command
        if !environment.isEmpty { process.environment = environment }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }
}
