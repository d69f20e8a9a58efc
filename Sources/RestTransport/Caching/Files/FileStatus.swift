// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The status of a file.
struct FileStatus {
    /// The size in bytes.
    let byteCount: Int
    /// The modification time in nanoseconds since 1970.
    let modified: Int64
    let permissions: UInt32
    let owner: UInt32
    let isDirectory: Bool
    let isFile: Bool

    init(_ status: stat) {
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        byteCount = Int(status.st_size)
        modified = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        permissions = UInt32(status.st_mode) & 0o7777
        owner = UInt32(status.st_uid)
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        isFile = status.st_mode & S_IFMT == S_IFREG
    }
}
