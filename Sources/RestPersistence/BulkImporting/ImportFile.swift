// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument

/// A file to import.
struct ImportFile {
    let url: URL
    let byteCount: Int

    /// The name in errors and in progress.
    var name: String { url.lastPathComponent }
    /// The absolute path.
    var path: String { url.standardizedFileURL.path(percentEncoded: false) }

    /// Returns the file at a URL, or the direct entries of a folder by name, without hidden ones.
    ///
    /// - Throws: ``PersistenceError`` with code `importFailed` if there is no file.
    static func files(at url: URL) throws(PersistenceError) -> [ImportFile] {
        var isFolder: ObjCBool = false
        let path = url.path(percentEncoded: false)
        guard url.isFileURL,
            unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        else {
            throw PersistenceError(
                importing: ImportLocation(source: url.lastPathComponent),
                DocumentError(
                    .unreadableFile, offset: 0,
                    expected: "expected a file or folder, but there is none"))
        }
        guard isFolder.boolValue else { return [ImportFile(url)] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
                .filter { !$0.hasPrefix(".") }.sorted()
                .map { ImportFile(url.appending(path: $0, directoryHint: .notDirectory)) }
        } catch {
            throw PersistenceError(importing: ImportLocation(source: url.lastPathComponent), error)
        }
    }

    private init(_ url: URL) {
        self.url = url
        let values = try? FileManager.default.attributesOfItem(
            atPath: url.path(percentEncoded: false))
        byteCount = (values?[.size] as? NSNumber)?.intValue ?? 0
    }

    /// Opens the file.
    func chunks() throws -> FileChunks {
        FileChunks(handle: try FileHandle(forReadingFrom: url))
    }

    /// Returns the line of an offset, counted from 1; `nil` if the file cannot be read.
    func line(at offset: Int) -> Int? {
        guard let handle = try? FileHandle(forReadingFrom: url) else { return nil }
        var line = 1
        var remaining = offset
        while remaining > 0 {
            let count = min(remaining, FileChunks.byteCount)
            guard let bytes = try? handle.read(upToCount: count), !bytes.isEmpty else { return nil }
            line += bytes.count { $0 == UInt8(ascii: "\n") }
            remaining -= bytes.count
        }
        return line
    }
}

/// The bytes of a file or pipe.
struct FileChunks: AsyncSequence {
    static let byteCount = 1 << 18

    let handle: FileHandle

    func makeAsyncIterator() -> Iterator { Iterator(handle: handle) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let handle: FileHandle

        mutating func next() async throws -> [UInt8]? {
            guard let bytes = try handle.read(upToCount: FileChunks.byteCount), !bytes.isEmpty
            else { return nil }
            return Array(bytes)
        }
    }
}
