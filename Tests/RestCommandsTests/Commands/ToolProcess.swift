// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A process of the program `rest`, which is built beside the tests.
final class ToolProcess: Sendable {
    private let process = Mutex<Process?>(nil)
    private let end = DispatchSemaphore(value: 0)

    private static var program: URL {
        URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "rest")
    }

    func start(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.terminationHandler = { [end] _ in end.signal() }
        try process.run()
        self.process.withLock { $0 = process }
    }

    func killNow() {
        let number = process.withLock { $0?.processIdentifier }
        if let number { kill(number, SIGKILL) }
    }

    func interrupt() { process.withLock { $0?.interrupt() } }

    /// Waits for the end of the process.
    ///
    /// - Returns: A Boolean value that indicates whether it ended in the time.
    func waits(milliseconds: Int) -> Bool {
        guard end.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else {
            return false
        }
        end.signal()
        return true
    }

    var result: (reason: Process.TerminationReason, status: Int32)? {
        process.withLock { process in
            process.flatMap { process in
                process.isRunning
                    ? nil : (process.terminationReason, process.terminationStatus)
            }
        }
    }
}
