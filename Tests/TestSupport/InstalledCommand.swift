// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The commands of other projects that tests run, such as servers.
///
/// `scripts/setup tests` installs them.
package enum InstalledCommand {
    /// The error of a command that is not installed.
    package struct Missing: Error, CustomStringConvertible {
        let name: String

        package var description: String { "\(name) is not installed; run scripts/setup tests" }
    }

    /// Returns the location of a command.
    ///
    /// - Throws: ``Missing`` if no directory of `PATH` has it, nor one for servers.
    package static func location(of name: String) throws -> URL {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        // Debian and Homebrew install servers outside of a user's usual path.
        let directories =
            path.split(separator: ":").map(String.init)
            + ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"]
        let candidates = directories.map {
            URL(fileURLWithPath: $0).appendingPathComponent(name)
        }
        guard
            let location = candidates.first(where: {
                FileManager.default.isExecutableFile(atPath: $0.path)
            })
        else { throw Missing(name: name) }
        return location
    }
}

extension Process {
    /// Kills the process and waits for its end.
    package func killAndWait() {
        // SIGKILL, as the child inherits the signal mask of the thread that started it, which may
        // block any other signal.
        kill(processIdentifier, SIGKILL)
        waitUntilExit()
    }
}
