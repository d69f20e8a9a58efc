// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The lines of standard input as an asynchronous sequence.
enum InputLines {
    /// Starts reading; the sequence ends with the input.
    static func ofProcess() -> AsyncStream<String> {
        AsyncStream { lines in
            // Reading blocks, so it runs on its own thread.
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
