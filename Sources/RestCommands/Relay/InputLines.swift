// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The lines of standard input, as they come.
enum InputLines {
    /// Starts reading; the lines end with the input.
    static func ofProcess() -> AsyncStream<String> {
        AsyncStream { lines in
            // Reading blocks, so it has a thread of its own.
            let thread = Thread {
                while let line = readLine() {
                    lines.yield(line)
                }
                lines.finish()
            }
            thread.start()
        }
    }
}
