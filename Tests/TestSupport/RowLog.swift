// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

/// The file that collects which test carries which rows.
///
/// One line for each test: the rows separated by spaces, a tab, the test's id as the event stream
/// of swift-testing spells it.
final class RowLog: Sendable {
    /// The log that the environment asks for, if it does.
    static let shared = ProcessInfo.processInfo.environment["RESTKIT_ROWS"].map(RowLog.init)

    private let path: String
    private let writing = Mutex(())

    init(path: String) {
        self.path = path
    }

    /// Appends a line; the file has to exist.
    func record(_ rows: [String], for test: Test.ID) throws {
        let line = Data("\(rows.joined(separator: " "))\t\(test)\n".utf8)
        try writing.withLock { _ in
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            defer { try? file.close() }
            _ = try file.seekToEnd()
            try file.write(contentsOf: line)
        }
    }
}
