// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

/// The file with the rows of each test.
///
/// It has one line for each test: the rows separated by spaces, a tab, and the test's identifier as in
/// the event stream of swift-testing.
final class RowLog: Sendable {
    /// The log at the path in the environment variable `RESTKIT_ROWS`, if it is set.
    static let shared = ProcessInfo.processInfo.environment["RESTKIT_ROWS"].map(RowLog.init)

    private let path: String
    private let lock = Mutex(())

    init(path: String) {
        self.path = path
    }

    /// Appends a line to the existing file.
    func record(_ rows: [String], for test: Test.ID) throws {
        let line = Data("\(rows.joined(separator: " "))\t\(test)\n".utf8)
        try lock.withLock { _ in
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            defer { try? file.close() }
            _ = try file.seekToEnd()
            try file.write(contentsOf: line)
        }
    }
}
