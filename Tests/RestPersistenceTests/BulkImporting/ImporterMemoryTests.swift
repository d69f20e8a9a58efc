// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// The memory of an import from a stream: 12 MB, or `RESTKIT_IMPORT_MEGABYTES`.
@Suite struct ImporterMemoryTests {
    /// Returns a figure of the process in bytes, such as its peak memory.
    private static func figure(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        let fields = line?.split(whereSeparator: { $0 == "\t" || $0 == " " }) ?? []
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 1_024
    }

    /// The text of a list in parts of 100 elements.
    private struct GeneratedList: AsyncSequence, AsyncIteratorProtocol {
        static let part = Array(
            String(
                repeating: #"{"text": ""# + String(repeating: "lorem ipsum ", count: 40) + #""},"#,
                count: 100
            ).utf8)

        let parts: Int
        private var index = -1

        init(parts: Int) { self.parts = parts }

        func makeAsyncIterator() -> GeneratedList { self }

        mutating func next() async throws -> [UInt8]? {
            index += 1
            if index == 0 { return [UInt8(ascii: "[")] }
            if index <= parts { return Self.part }
            return index == parts + 1 ? Array(#"{"text": ""}]"#.utf8) : nil
        }
    }

    /// Imports a list from a stream that is generated as it is read.
    private static func importMegabytes(
        _ count: Int, named name: String, into store: ManagedObjectStore
    ) async throws {
        let list = GeneratedList(parts: count * 1_000_000 / GeneratedList.part.count)
        let mapping = EntityMapping(
            ObjectMapping(defaultFor: try #require(store.model.properties(of: "Note"))))
        let importer = ManagedObjectImporter(store, configuration: .init(chunkCount: 1_000))
        let summary = try await importer.importObjects(from: list, named: name, by: mapping)
        #expect(summary.objectCount == list.parts * 100 + 1)
        try await importer.finish()
    }

    /// The peak after the whole list is little more than that after its first part, so that it does not
    /// depend on the size.
    @Test(.tags(.slow)) func memoryDoesNotGrowWithSource() async throws {
        let files = try TemporaryStore()
        let path = files.file.path(percentEncoded: false)
        let megabytes = TestEnvironment.number("RESTKIT_IMPORT_MEGABYTES") ?? 12
        await #expect(processExitsWith: .success) {
            [path = path as String, megabytes = megabytes as Int] in
            let store = try await ManagedObjectStore(
                at: URL(filePath: path),
                model: ManagedObjectModel([
                    EntityDescription("Note", attributes: [AttributeDescription("text", .text)])
                ]))
            try await ImporterMemoryTests.importMegabytes(3, named: "small", into: store)
            let small = ImporterMemoryTests.figure("VmHWM")
            let clock = ContinuousClock()
            let time = try await clock.measure {
                try await ImporterMemoryTests.importMegabytes(
                    megabytes, named: "large", into: store)
            }
            let growth = ImporterMemoryTests.figure("VmHWM") - small
            #expect(small > 0)
            #expect(growth < 6_000_000)
            print(
                "\(megabytes) MB in \(time): \(small / 1_000_000) MB of memory after 3 MB, "
                    + "\(growth / 1_000_000) MB more at the end")
        }
    }
}
#endif
