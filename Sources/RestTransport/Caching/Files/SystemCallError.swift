// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The error of a system call.
struct SystemCallError: Error, Hashable, CustomStringConvertible {
    /// A system call, or a group of calls with one purpose.
    enum Call: String, Hashable, CaseIterable {
        case open
        case makeDirectory
        case readDirectory
        case status
        case read
        case write
        case rename
        case remove
        case lock
    }

    let call: Call
    let number: CInt

    /// A Boolean value that indicates whether the disk or the quota of the user is full.
    var isFullDisk: Bool { number == ENOSPC || number == EDQUOT }

    /// A Boolean value that indicates whether the file or a directory in its path is missing.
    var isMissing: Bool { number == ENOENT }

    /// The error after too long a wait for a lock.
    static let busy = SystemCallError(call: .lock, number: EWOULDBLOCK)

    /// The error of a directory in place of a file.
    static let directory = SystemCallError(call: .open, number: EISDIR)

    /// The error of a device, a pipe or a socket in place of a file.
    static let specialFile = SystemCallError(call: .open, number: EEXIST)

    /// The call and the error number, such as `write: errno 28`.
    var description: String { "\(call.rawValue): errno \(number)" }

    /// Returns the error of the last failed call on this thread.
    static func last(_ call: Call) -> SystemCallError { SystemCallError(call: call, number: errno) }
}
