// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import InMemoryLogging
import Logging
import Synchronization

@testable import RestTransport

/// A directory for stored responses that is removed after the test.
final class TemporaryDirectory: Sendable {
    /// A path that does not exist at first.
    let path = FileManager.default.temporaryDirectory.path + "/restkit-\(UUID())"

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The relative paths of all files but the marker.
    var files: [String] {
        get throws {
            try FileManager.default.subpathsOfDirectory(atPath: path)
                .filter { try !attributes($0).isDirectory && $0 != FileCacheDirectory.markerName }
                .sorted()
        }
    }

    /// The size of all files in bytes.
    var byteCount: Int {
        get throws { try files.reduce(0) { try $0 + FileCacheWriter.size(attributes($1).size) } }
    }

    func read(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(path)/\(name)")
    }

    func attributes(_ name: String = "") throws -> (isDirectory: Bool, size: Int, mode: Int) {
        let values = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
        return (
            values[.type] as? FileAttributeType == .typeDirectory,
            (values[.size] as? NSNumber)?.intValue ?? -1,
            (values[.posixPermissions] as? NSNumber)?.intValue ?? -1
        )
    }

    /// Sets the time since a file was last used.
    func setAge(_ seconds: TimeInterval, of name: String) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -seconds)],
            ofItemAtPath: "\(path)/\(name)")
    }
}

extension CacheKey {
    init(_ name: String, partition: String? = nil) {
        self.init(url: "https://example.com/\(name)", partition: partition)
    }
}

extension CacheEntry {
    /// Returns an entry whose fields identify its body.
    static func sample(
        _ name: String, id: UInt64 = 1, partition: String? = nil, byteCount: Int = 100
    ) -> CacheEntry {
        CacheEntry(
            key: CacheKey(name, partition: partition), id: id, selectingFields: [.accept: "a"],
            head: HTTPResponse(status: .ok, headerFields: [.eTag: "\"\(byteCount)-\(id)\""]),
            requestDate: Date(timeIntervalSince1970: 1e9),
            responseDate: Date(timeIntervalSince1970: 1e9 + 1), bodyByteCount: byteCount)
    }

    /// The body of the entry.
    var sampleBody: [UInt8] {
        let seed =
            UInt8(truncatingIfNeeded: id &* 7) &+ UInt8(truncatingIfNeeded: key.url.utf8.count)
        let period = (0...UInt8.max).map { seed &+ $0 }
        var body: [UInt8] = []
        while body.count < bodyByteCount { body += period.prefix(bodyByteCount - body.count) }
        return body
    }
}

extension FileCacheStorage {
    func store(_ entry: CacheEntry) async {
        await store(entry, body: entry.sampleBody)
    }

    /// Returns a Boolean value that indicates whether an entry and its body are stored.
    func holds(_ entry: CacheEntry) async -> Bool {
        guard await entries(for: entry.key).contains(entry) else { return false }
        return await body(of: entry) == entry.sampleBody
    }
}

extension Logger {
    /// Returns a logger and its log.
    static func recording() -> (Logger, InMemoryLogHandler) {
        let handler = InMemoryLogHandler()
        return (Logger(label: "test") { _ in handler }, handler)
    }
}

extension TemporaryDirectory {
    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }

    func removeOutside(_ path: String) throws {
        try FileManager.default.removeItem(atPath: path)
    }

    func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: "\(path)/\(name)", toPath: other)
    }

    func link(_ name: String, to other: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/\(name)", withDestinationPath: other)
    }
}

/// A counter for several tasks.
final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    /// Increments the count.
    @discardableResult
    func add() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}
