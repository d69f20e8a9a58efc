// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Testing

/// The packages of the system that scripts install, on a machine that has none of them.
@Suite struct InstallationTests {
    private static let libraries: Set = [
        "libcurl4-openssl-dev", "libsqlite3-dev", "libxml2-dev", "pkg-config", "zlib1g-dev",
    ]

    @Test func demonstrationInstallsLibrariesOnly() throws {
        #expect(try Self.packages(installedBy: ["demo"]) == Self.libraries)
    }

    // The scripts look for servers outside of the path as well, so that these may be there.
    @Test func testsInstallTheirToolsToo() throws {
        let packages = try Self.packages(installedBy: ["setup", "tests"])
        #expect(packages.isSuperset(of: Self.libraries))
        #expect(packages.isSuperset(of: ["openssl", "python3", "sqlite3", "valgrind"]))
    }

    /// Commands that answer as on Debian without these packages, where the compiler finds no header.
    private static let commands = [
        "apt-cache": "exit 0",
        "apt-get": #"printf '%s\n' "${@: -1}" >> "$(dirname "$0")/packages""#,
        "clang": "exit 1", "id": "echo 0", "swift": "echo 'Swift version 6.2'",
    ]

    /// The commands of the system that the scripts run besides.
    private static let tools = [
        "awk", "bash", "cat", "dirname", "env", "head", "readlink", "sed", "uname",
    ]

    /// Runs a script, which fails at the end because nothing is really installed.
    private static func packages(installedBy script: [String]) throws -> Set<String> {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appending(path: UUID().uuidString)
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? manager.removeItem(at: folder) }
        for (name, text) in commands {
            let file = folder.appending(path: name)
            try "#!/bin/bash\n\(text)\n".write(to: file, atomically: true, encoding: .utf8)
            try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
        for name in tools {
            let places = ["/bin/\(name)", "/usr/bin/\(name)"]
            let place = try #require(places.first { manager.isExecutableFile(atPath: $0) })
            try manager.createSymbolicLink(
                at: folder.appending(path: name), withDestinationURL: URL(filePath: place))
        }
        // This file is in Tests/DemonstrationTests.
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let process = Process()
        process.executableURL = folder.appending(path: "bash")
        process.arguments = [root.appending(path: "scripts/\(script[0])").path] + script.dropFirst()
        process.environment = ["PATH": folder.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        let text = try String(contentsOf: folder.appending(path: "packages"), encoding: .utf8)
        return Set(text.split(separator: "\n").map(String.init))
    }
}
#endif
