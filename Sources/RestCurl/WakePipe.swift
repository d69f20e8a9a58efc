// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Interrupts a thread that waits for sockets.
///
/// Invariant: buffers live during the calls that get them; the ends are used under the lock while
/// they are open, and closed once.
final class WakePipe: Sendable {
    private struct Ends {
        var reading: Int32
        var writing: Int32
    }

    private let ends = Mutex<Ends?>(nil)

    /// Makes the pipe.
    ///
    /// - Returns: What becomes readable when somebody wakes; `nil` when the system gives no pipe.
    func open() -> Int32? {
        var pair: [Int32] = [-1, -1]
        guard unsafe pipe(&pair) == 0 else { return nil }
        for end in pair {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        ends.withLock { $0 = Ends(reading: pair[0], writing: pair[1]) }
        return pair[0]
    }

    /// Interrupts the wait; from any thread.
    ///
    /// Where one has not been noticed yet, it counts for this one, too.
    func wake() {
        ends.withLock { ends in
            guard let ends else { return }
            var byte: UInt8 = 0
            _ = unsafe write(ends.writing, &byte, 1)
        }
    }

    /// Forgets the wakes that were noticed.
    func drain() {
        ends.withLock { ends in
            guard let ends else { return }
            var bytes: (UInt64, UInt64) = (0, 0)
            let size = MemoryLayout.size(ofValue: bytes)
            while unsafe read(ends.reading, &bytes, size) == size {}
        }
    }

    /// Closes both ends.
    func close() {
        ends.withLock { ends in
            guard let open = ends else { return }
            ends = nil
            closeDescriptor(open.reading)
            closeDescriptor(open.writing)
        }
    }
}

// Inside of the class its own method hides the system's.
private func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}
