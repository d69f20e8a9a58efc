// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestTransport

@Suite struct FileCacheDirectoryTests {
    private let directory = TemporaryDirectory()

    @Test(.threat("T47"))
    func pathsRevealNothingOfRequests() async throws {
        let storage = try FileCacheStorage(directory: directory.path)
        let names = ["../../../x", String(repeating: "canary", count: 1_700), "a/../canary\0?x=1"]
        let partitions: [String?] = [
            "../canary", nil, "canary/", String(repeating: "é", count: 5_000),
        ]
        var count = 0
        for name in names {
            for partition in partitions {
                let entry = CacheEntry.sample(name, partition: partition)
                await storage.store(entry)
                #expect(await storage.holds(entry))
                count += 1
            }
        }
        let files = try directory.files
        #expect(files.count == count)
        for file in files {
            let parts = file.split(separator: "/")
            #expect(parts.count == 2)
            #expect(parts.allSatisfy { $0.utf8.count == 32 && UInt128($0, radix: 16) != nil })
        }
        // The same URL has a different name in another directory.
        let elsewhere = TemporaryDirectory()
        let other = try FileCacheStorage(directory: elsewhere.path)
        for name in names { await other.store(.sample(name)) }
        #expect(try Set(elsewhere.files).isDisjoint(with: files))
    }

    /// Each case runs in a process, because the umask is global to a process.
    @Test(.threat("T47"), arguments: [0o000, 0o022, 0o777])
    func restrictsPermissionsRegardlessOfUmask(mask: Int) async throws {
        await #expect(processExitsWith: .success) { [mask] in
            let directory = TemporaryDirectory()
            umask(mode_t(mask))
            let storage = try FileCacheStorage(directory: directory.path)
            for byteCount in [10, 100_000] {
                let entry = CacheEntry.sample("a", id: UInt64(byteCount), byteCount: byteCount)
                await storage.store(entry)
                #expect(await storage.holds(entry))
            }
            #expect(try directory.attributes().mode == 0o700)
            let paths = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            #expect(paths.count == 4)
            for path in paths {
                let attributes = try directory.attributes(path)
                #expect(attributes.mode == (attributes.isDirectory ? 0o700 : 0o600))
            }
        }
    }

    @Test(.threat("T47"))
    func restrictsPermissionsOfExistingDirectory() throws {
        _ = try FileCacheStorage(directory: directory.path)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: directory.path)
        _ = try FileCacheStorage(directory: directory.path)
        #expect(try directory.attributes().mode == 0o700)
    }

    @Test func rejectsDirectoryWithOtherFiles() throws {
        try FileManager.default.createDirectory(
            atPath: directory.path, withIntermediateDirectories: true)
        // An empty directory is accepted.
        _ = try FileCacheStorage(directory: directory.path)
        try directory.remove(FileCacheDirectory.markerName)
        try directory.write([1], to: "letters.txt")
        let mode = try directory.attributes().mode
        let error = #expect(throws: TransportError.self) {
            try FileCacheStorage(directory: directory.path)
        }
        #expect(error?.code == .cacheUnavailable)
        #expect(
            error?.description
                == "cacheUnavailable while preparing: the directory \(directory.path) is not empty "
                + "and not a cache: it contains letters.txt")
        #expect(try directory.files == ["letters.txt"])
        #expect(try directory.attributes().mode == mode)
    }

    @Test func rejectsPathsThatAreNotDirectories() throws {
        try Data([1]).write(to: URL(fileURLWithPath: directory.path))
        for path in [directory.path, directory.path + "/a/b", "/proc/nothing", ""] {
            let error = #expect(throws: TransportError.self) {
                try FileCacheStorage(directory: path)
            }
            #expect(error?.code == .cacheUnavailable)
            #expect(error?.underlying != nil)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: directory.path)) == Data([1]))
    }

    @Test func createsParentDirectories() async throws {
        let storage = try FileCacheStorage(directory: directory.path + "/a/b/")
        await storage.store(.sample("x"))
        #expect(await storage.holds(.sample("x")))
        for name in ["", "a", "a/b"] { #expect(try directory.attributes(name).mode == 0o700) }
    }
}
