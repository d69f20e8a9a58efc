// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

/// The logged events, each as one line.
final class LogLines: Sendable {
    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let pairs = (event.metadata ?? [:]).sorted { $0.key < $1.key }
            let text = pairs.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            lines.storage.withLock { $0.append("\(event.level): \(event.message) \(text)") }
        }
    }

    private let storage = Mutex<[String]>([])

    var all: [String] { storage.withLock { $0 } }

    func logger(_ level: Logger.Level) -> Logger {
        Logger(label: "test") { _ in Handler(lines: self, logLevel: level) }
    }
}
