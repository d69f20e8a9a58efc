// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The import of one file or stream by a mapping.
///
/// Not `Sendable`, because it belongs to its importer.
final class SourceImport {
    /// The name in errors and in progress.
    let name: String
    /// The name in the tables of unfinished imports.
    let id: String
    /// The file; `nil` for a stream.
    let file: ImportFile?
    let plan: EntityMappingPlan
    let keyPath: DocumentPath
    /// The position at which an interrupted import ended.
    let resumed: ImportPosition

    private(set) var digest: ContentDigest
    private(set) var chunk = ElementChunk()
    /// The number of elements that have been read.
    private(set) var elementCount = 0
    /// The number of bytes that have been read.
    private(set) var readByteCount = 0
    /// The unsaved objects that wait for their connections, by entity.
    var connectedKeys: [String: [Int64]] = [:]

    init(
        _ name: String, id: String, file: ImportFile?, _ plan: EntityMappingPlan,
        at keyPath: DocumentPath, from resumed: ImportPosition
    ) {
        self.name = name
        self.id = id
        self.file = file
        self.plan = plan
        self.keyPath = keyPath
        self.resumed = resumed
        digest = ContentDigest(expecting: resumed.prefix)
    }

    /// Adds bytes to the digest.
    ///
    /// - Throws: ``PersistenceError`` if they are not those of the interrupted import.
    func note(_ bytes: [UInt8]) throws(PersistenceError) {
        guard digest.append(bytes) else { throw changed() }
    }

    /// Checks at the end that the content is not shorter than that of the interrupted import.
    func checkLength() throws(PersistenceError) {
        guard digest.isLongEnough, elementCount >= resumed.elementCount else { throw changed() }
    }

    /// Adds an element to the chunk, unless an interrupted import has saved it.
    ///
    /// - Parameters:
    ///   - node: The element.
    ///   - end: The offset of its end; `nil` if it is unknown.
    ///   - byteCount: The size of its text.
    func append(_ node: Node, endingAt end: Int?, byteCount: Int) {
        elementCount += 1
        if let end { readByteCount = end }
        guard elementCount > resumed.elementCount else { return }
        chunk.append(node, at: end.map { $0 - byteCount }, byteCount: byteCount)
    }

    /// Records that all bytes have been read.
    func finishReading() { readByteCount = digest.prefix.byteCount }

    /// Removes the chunk, and returns it.
    func takeChunk() -> ElementChunk {
        let taken = chunk
        chunk = ElementChunk(first: elementCount)
        return taken
    }

    /// Returns the position after all elements that have been read.
    func position(isComplete: Bool) -> ImportPosition {
        ImportPosition(
            elementCount: elementCount, prefix: digest.lastPrefix(upTo: readByteCount),
            isComplete: isComplete)
    }

    func changed() -> PersistenceError {
        PersistenceError(
            .importFailed,
            details: [
                "the content has changed since the import was interrupted; to import all of it, set "
                    + "ImporterConfiguration.resumes to false"
            ], location: ImportLocation(source: name))
    }

    /// Returns an error with the place of the element that caused it.
    func located(_ error: any Error, in chunk: ElementChunk? = nil) -> any Error {
        if error is CancellationError { return error }
        if let error = error as? PersistenceError, error.code == .importFailed { return error }
        var location = ImportLocation(source: name)
        if let error = error as? DocumentError, error.code != .unreadableFile,
            error.code != .unregisteredFormat
        {
            location.offset = error.offset
            location.line = error.line
            location.path = error.path
        } else if let error = error as? MappingError, let chunk {
            location = chunk.location(of: error.path, in: self)
            location.line = location.offset.flatMap { file?.line(at: $0) }
        } else if let chunk {
            location.offset = chunk.offsets.first ?? nil
            location.line = location.offset.flatMap { file?.line(at: $0) }
        }
        return PersistenceError(importing: location, error)
    }
}

/// Elements that are imported and saved together.
struct ElementChunk {
    /// The position of the first element in the source.
    private(set) var first: Int
    /// The offsets of the elements; `nil` if they are unknown.
    private(set) var offsets: [Int?] = []
    private(set) var byteCount = 0
    private var builder: DocumentBuilder

    init(first: Int = 0) {
        self.first = first
        builder = DocumentBuilder()
        builder.beginArray()
    }

    var count: Int { offsets.count }

    mutating func append(_ node: Node, at offset: Int?, byteCount: Int) {
        builder.value(node)
        offsets.append(offset)
        self.byteCount += byteCount
    }

    /// Returns the list of the elements.
    func document() -> Document {
        var builder = builder
        builder.end()
        return builder.finish()
    }

    /// Returns the place of a path in the source.
    func location(of path: DocumentPath, in source: SourceImport) -> ImportLocation {
        var offset: Int?
        let outer = source.keyPath.components.count
        if path.components.count > outer, case .index(let position) = path.components[outer],
            offsets.indices.contains(position - first)
        {
            offset = offsets[position - first]
        }
        return ImportLocation(source: source.name, offset: offset, path: path)
    }
}

extension PersistenceError {
    /// Creates the error of an import from its cause.
    init(importing location: ImportLocation, _ cause: any Error) {
        let details: [String] =
            switch cause {
            case let cause as DocumentError:
                ["\(cause.code)" + (cause.expected.isEmpty ? "" : ": \(cause.expected)")]
            case let cause as MappingError: [cause.description]
            case let cause as PersistenceError: [cause.description]
            default: ["the source cannot be read"]
            }
        self.init(.importFailed, details: details, underlying: cause)
        self.location = location
    }

    fileprivate init(_ code: Code, details: [String], location: ImportLocation) {
        self.init(code, details: details)
        self.location = location
    }
}
