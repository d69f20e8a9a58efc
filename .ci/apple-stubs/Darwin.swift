// SPDX-License-Identifier: Apache-2.0

// The C library of Apple's platforms: that of Linux, with what only Darwin has.

@_exported import Glibc

public let F_FULLFSYNC: Int32 = 51
public let SO_NOSIGPIPE: Int32 = 0x1022

// A number there, an enumeration here.
public let SOCK_STREAM: Int32 = 1

public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 { fatalError() }

// A structure there, incomplete here.
public struct DIR {}

// scripts/apple-check writes this name for `fdopendir`.
public func darwin_fdopendir(_ descriptor: Int32) -> UnsafeMutablePointer<DIR>! { fatalError() }
public func readdir(_ stream: UnsafeMutablePointer<DIR>!) -> UnsafeMutablePointer<dirent>! {
    fatalError()
}
@discardableResult public func closedir(_ stream: UnsafeMutablePointer<DIR>!) -> Int32 {
    fatalError()
}

extension stat {
    public var st_mtimespec: timespec { fatalError() }
}
