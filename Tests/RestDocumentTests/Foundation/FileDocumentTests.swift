// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct FileDocumentTests {
    /// A directory that is removed after the suite.
    private final class Directory {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")

        init() throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        func path(_ name: String, _ text: String? = nil) throws -> String {
            let file = url.appendingPathComponent(name)
            try text.map { try Data($0.utf8).write(to: file) }
            return file.path
        }
    }

    private let directory: Directory

    init() throws { directory = try Directory() }

    /// The size of a page, and one byte more or less.
    @Test(arguments: [2, 4095, 4096, 4097, 100_000])
    func readsFiles(_ count: Int) throws {
        let text = "\"" + String(repeating: "x", count: count - 2) + "\""
        let document = try Document(contentsOfFile: directory.path("a.json", text))
        #expect(document.root.string?.utf8.count == count - 2)
        #expect(document.storage.byteCount == count)
    }

    /// The byte count of a pipe is unknown, so the buffer grows.
    @Test(arguments: [1, 5000, 300_000]) func readsPipesToEnd(_ count: Int) throws {
        let path = try directory.path("pipe")
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let list = "[" + (0..<count).map(String.init).joined(separator: ",") + "]"
        let writer = Thread {
            let pipe = FileHandle(forWritingAtPath: path)
            try? pipe?.write(contentsOf: Data(list.utf8))
            try? pipe?.close()
        }
        writer.start()
        let document = try Document(contentsOfFile: path)
        #expect(document.root.count == count)
        #expect(document.root[count - 1]?.int64 == Int64(count - 1))
    }

    @Test func locatesErrors() throws {
        let error = try #require(throws: DocumentError.self) {
            try Document(contentsOfFile: directory.path("a.json", "{\"a\":\n[1,]}"))
        }
        #expect(error.code == .unexpectedByte)
        #expect(error.line == 2 && error.column == 4)
        #expect(throws: DocumentError.self) {
            try Document(contentsOfFile: directory.path("empty.json", ""))
        }
    }

    @Test func throwsForUnreadableFiles() throws {
        for (path, reason) in [
            (try directory.path("none.json"), "it does not exist"),
            (directory.url.path, "it is a directory"),
        ] {
            let error = try #require(throws: DocumentError.self) {
                try Document(contentsOfFile: path)
            }
            #expect(error.code == .unreadableFile)
            #expect(
                error.description
                    == "unreadableFile: expected a readable file, but \(reason)")
        }
    }

    /// The limit also applies to a pipe that never ends.
    @Test func enforcesLimits() throws {
        var limits = ParseLimits()
        limits.byteCount = 6
        let path = try directory.path("a.json", "[1, 2]")
        #expect(try Document(contentsOfFile: path, limits: limits).root.count == 2)
        limits.byteCount = 5
        for path in [path, "/dev/zero"] {
            let error = try #require(throws: DocumentError.self) {
                try Document(contentsOfFile: path, limits: limits)
            }
            #expect(error.code == .limitExceeded)
        }
        #expect(try Document(contentsOfFile: path, limits: .none).root.count == 2)
    }
}
