// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A reader of the names in a directory.
///
/// Invariant: `stream` is open until `deinit`, and only the creator of the reader uses it.
@safe
final class DirectoryEntryReader {
    #if canImport(Darwin)
    typealias Stream = UnsafeMutablePointer<DIR>
    #else
    typealias Stream = OpaquePointer
    #endif

    private let stream: Stream

    init(_ stream: Stream) {
        unsafe self.stream = unsafe stream
    }

    deinit {
        unsafe closedir(stream)
    }

    /// Returns the next names, at most a number of them, without `.` and `..`; none at the end.
    func next(_ count: Int) -> [String] {
        var names: [String] = []
        while names.count < count, let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                // Invariant: the name ends with a zero byte inside of the entry.
                unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
