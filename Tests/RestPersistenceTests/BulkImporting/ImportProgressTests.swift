// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping
import RestPersistence
import Synchronization
import TestSupport
import Testing

@testable import RestPersistence

@Suite struct ImportProgressTests {
    @Test func estimatesRemainingTime() {
        let progress = ImportProgress(
            source: "a.json", elementCount: 300, byteCount: 3_000, totalByteCount: 9_000,
            resumedElementCount: 100, resumedByteCount: 1_000, elapsed: .seconds(4))
        #expect(progress.elementsPerSecond == 50)
        #expect(progress.bytesPerSecond == 500)
        #expect(progress.remaining == .seconds(12))
        #expect(progress.fraction == 1.0 / 3)
    }

    @Test func unknownTotalHasNoEstimate() {
        let progress = ImportProgress(
            source: "stream", elementCount: 3, byteCount: 30, totalByteCount: nil,
            elapsed: .seconds(1))
        #expect(progress.remaining == nil)
        #expect(progress.fraction == nil)
        let beginning = ImportProgress(
            source: "a", elementCount: 0, byteCount: 0, totalByteCount: 10, elapsed: .zero)
        #expect(beginning.elementsPerSecond == 0)
        #expect(beginning.remaining == nil)
        let empty = ImportProgress(
            source: "a", elementCount: 0, byteCount: 0, totalByteCount: 0, elapsed: .seconds(1))
        #expect(empty.fraction == 1)
    }

    @Test func reportsEveryChunkOfAllFiles() async throws {
        let files = try TemporaryStore()
        let folder = files.directory.appending(path: "input")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["a", "b"] {
            let lines = (0..<25).map { "{\"code\": \"\(name)\($0 + 10)\", \"name\": \"n\"}\n" }
            try Data(lines.joined().utf8).write(to: folder.appending(path: "\(name).jsonl"))
        }
        let reports = Mutex<[ImportProgress]>([])
        let importer = ManagedObjectImporter(
            try await files.open(),
            configuration: .init(chunkCount: 10) { progress in
                reports.withLock { $0.append(progress) }
            })
        try await importer.importObjects(from: folder, by: EntityMapping(Airport.self))
        let all = reports.withLock(\.self)
        #expect(all.map(\.elementCount) == [10, 20, 25, 35, 45, 50])
        #expect(
            all.map(\.source) == Array(repeating: "a.jsonl", count: 3)
                + Array(repeating: "b.jsonl", count: 3))
        let line = "{\"code\": \"a10\", \"name\": \"n\"}\n".utf8.count
        // The last line break is read with the end of the file.
        #expect(all.map(\.totalByteCount) == Array(repeating: 50 * line, count: 6))
        #expect(
            all.map(\.byteCount)
                == [10, 20, 25, 35, 45, 50].map { count in
                    count % 25 == 0 ? count * line : count * line - 1
                })
        #expect(all.last?.fraction == 1)
    }
}
