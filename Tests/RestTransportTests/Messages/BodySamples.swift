// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTransport
import Synchronization
import Testing

/// The kind of a test's body.
enum BodyKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case bytes
    case file
    case knownStream
    case unknownStream
    case knownOnce
    case unknownOnce

    var testDescription: String { rawValue }

    var hasLength: Bool { self != .unknownStream && self != .unknownOnce }

    var isReplayable: Bool { self != .knownOnce && self != .unknownOnce }

    /// Returns a body of this kind with the given bytes.
    func body(_ bytes: [UInt8], in folder: TemporaryFolder) throws -> MessageBody {
        switch self {
        case .bytes: .bytes(bytes)
        case .file: try .file(at: folder.write(bytes))
        case .knownStream: .stream(byteCount: bytes.count) { chunks(of: bytes) }
        case .unknownStream: .stream { chunks(of: bytes) }
        case .knownOnce: .once(chunks(of: bytes), byteCount: bytes.count)
        case .unknownOnce: .once(chunks(of: bytes))
        }
    }
}

/// Returns bytes in chunks whose sizes match no buffer size.
func chunks(of bytes: [UInt8], size: Int = 40_961) -> AsyncStream<[UInt8]> {
    let rest = Mutex(bytes[...])
    return AsyncStream {
        rest.withLock { rest in
            let chunk = rest.prefix(size)
            rest = rest.dropFirst(size)
            return chunk.isEmpty ? nil : Array(chunk)
        }
    }
}

/// Returns bytes in which few positions look alike: a repeated block of a prime length.
func sampleBytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + sampleBlock.count)
    while bytes.count < count { bytes += sampleBlock }
    bytes.removeLast(bytes.count - count)
    return bytes
}

private let sampleBlock: [UInt8] = {
    var state: UInt32 = 1
    return (0..<65_521).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
}()

/// A folder of files that is removed after the test.
final class TemporaryFolder: Sendable {
    let path: String
    private let fileCount = Atomic(0)

    init() throws {
        path = NSTemporaryDirectory() + "restkit-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func write(_ bytes: [UInt8], named name: String? = nil) throws -> String {
        let number = fileCount.wrappingAdd(1, ordering: .relaxed).newValue
        let file = "\(path)/\(name ?? "file\(number)")"
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return file
    }
}

/// A sequence that a test controls and that records its use.
final class ControlledSource: Sendable {
    private let parts: Mutex<AsyncStream<[UInt8]>?>
    private let continuation: AsyncStream<[UInt8]>.Continuation
    private let termination = Mutex(false)
    private let taken = Atomic(0)

    init() {
        let parts: AsyncStream<[UInt8]>
        (parts, continuation) = AsyncStream.makeStream()
        self.parts = Mutex(parts)
        continuation.onTermination = { [weak self] _ in
            self?.termination.withLock { $0 = true }
        }
    }

    /// A Boolean value that indicates whether the sequence has ended or its reader was released.
    var hasEnded: Bool { termination.withLock { $0 } }

    /// The number of chunks that the reader has read.
    var takenCount: Int { taken.load(ordering: .relaxed) }

    /// Returns the chunks for one reader, which has the only reference to them.
    func makeChunks() throws -> AsyncMapSequence<AsyncStream<[UInt8]>, [UInt8]> {
        try #require(parts.withLock { $0.take() }).map { part in
            self.taken.wrappingAdd(1, ordering: .relaxed)
            return part
        }
    }

    func send(_ bytes: [UInt8]) {
        continuation.yield(bytes)
    }

    func finish() {
        continuation.finish()
    }
}

extension MessageBody {
    /// Reads the complete body.
    func readAll() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in chunks {
            #expect(!chunk.isEmpty)
            bytes += chunk
        }
        return bytes
    }
}
