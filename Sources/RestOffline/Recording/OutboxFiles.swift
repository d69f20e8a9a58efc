// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestPersistence
import RestTransport
import Synchronization

/// The files that entries send, in a directory beside the file of the store.
///
/// The name of a file is a digest of its content, and entries refer to it by this name, so that the store can be
/// moved with its directory. Files are kept and removed in transactions of the store, so that a process does not
/// remove what another one refers to at the same time.
final class OutboxFiles: Sendable {
    private let directory: String
    private let hasEnds = Mutex(false)

    init(_ directory: String) { self.directory = directory }

    // MARK: Keeping

    /// The copies of the files of a form, which no entry refers to yet.
    struct Staged: Sendable {
        fileprivate struct File: Sendable {
            let path: String
            let digest: String
        }

        fileprivate var files: [File] = []
        fileprivate(set) var parts: [FormPart] = []

        /// Removes the copies that were not kept.
        func remove() {
            for file in files { try? FileManager.default.removeItem(atPath: file.path) }
        }
    }

    /// Copies the files of a form.
    ///
    /// - Throws: ``OutboxError`` with code `fileUnavailable`.
    func stage(_ form: OutboxForm?) async throws -> Staged {
        guard let form else { return Staged() }
        return try await Task.detached(priority: .userInitiated) { [self] in
            var staged = Staged()
            do {
                for part in form.parts { try stage(part, in: &staged) }
            } catch {
                staged.remove()
                throw error
            }
            return staged
        }.value
    }

    private func stage(_ part: OutboxForm.Part, in staged: inout Staged) throws {
        switch part {
        case .field(let text, let name): staged.parts.append(FormPart(.text(text), named: name))
        case .file(let url, let name, let fileName, let contentType):
            let path = "\(directory)/\(Self.stagingPrefix)\(UUID().uuidString)"
            let digest: String
            do {
                try FileManager.default.createDirectory(
                    atPath: directory, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
                digest = try Self.copy(url, to: path)
            } catch {
                try? FileManager.default.removeItem(atPath: path)
                throw OutboxError(
                    .fileUnavailable,
                    "the file of the field \(name) cannot be copied: it must exist, be readable, and fit "
                        + "on the volume of the store")
            }
            staged.files.append(Staged.File(path: path, digest: digest))
            staged.parts.append(
                FormPart(
                    .file(digest: digest), named: name, fileName: fileName,
                    contentType: contentType))
        }
    }

    /// Copies a file and returns the digest of its content: the SHA-256 digest of those of its chunks.
    private static func copy(_ url: URL, to path: String) throws -> String {
        let source = try FileHandle(forReadingFrom: url)
        defer { try? source.close() }
        guard
            FileManager.default.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        let target = try FileHandle(forWritingTo: URL(filePath: path))
        defer { try? target.close() }
        var digests: [UInt8] = []
        while let chunk = try source.read(upToCount: chunkByteCount), !chunk.isEmpty {
            digests += SHA256.digest(of: Array(chunk))
            try target.write(contentsOf: chunk)
        }
        try target.synchronize()
        return SHA256.hexadecimalDigest(of: digests)
    }

    private static let chunkByteCount = 1 << 20
    private static let stagingPrefix = "copy-"

    /// Gives copies the names to which an entry of the present transaction refers.
    func keep(_ staged: Staged) throws(PersistenceError) {
        for file in staged.files {
            let path = "\(directory)/\(file.digest)"
            if FileManager.default.fileExists(atPath: path) { continue }
            do {
                try FileManager.default.moveItem(atPath: file.path, toPath: path)
            } catch {
                throw PersistenceError(wrapping: error, at: path)
            }
        }
    }

    // MARK: Removing

    /// Notes that entries with files have ended, so that a later transaction removes the files.
    func noteEnds(of loaded: LoadedEdits, _ queue: OutboxQueue) {
        for (object, edits) in loaded.objects {
            for entry in edits.entries where entry.command?.parts.isEmpty == false {
                let rest = queue.objects[object]?.entries ?? []
                if rest.contains(where: { $0.sequence == entry.sequence }) { continue }
                hasEnds.withLock { $0 = true }
            }
        }
    }

    /// Returns whether entries with files have ended since the last call.
    func takeNotice() -> Bool {
        hasEnds.withLock { hasEnds in
            defer { hasEnds = false }
            return hasEnds
        }
    }

    /// Removes the files to which no entry refers.
    func removeUnused(_ tables: OutboxTables) throws(PersistenceError) {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory),
            !names.isEmpty
        else { return }
        guard let used = try tables.digests() else { return }
        for name in names where !used.contains(name) {
            let path = "\(directory)/\(name)"
            let isTemporary = [Self.stagingPrefix, Self.uploadPrefix].contains {
                name.hasPrefix($0)
            }
            if isTemporary, !Self.isOld(path) { continue }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// Returns a Boolean value that indicates whether the process that was copying a file has ended, or the system
    /// has given an upload up.
    private static func isOld(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let date = attributes?[.modificationDate] as? Date else { return false }
        return date.timeIntervalSinceNow < -7 * 24 * 3600
    }

    // MARK: Uploads of the system

    private static let uploadPrefix = "upload-"

    private func bodyPath(ofAttempt number: Int64) -> String {
        "\(directory)/\(Self.uploadPrefix)\(number)"
    }

    /// Writes the body of a request to a file.
    ///
    /// - Throws: ``OutboxError`` with code `fileUnavailable`.
    func writeBody(
        of request: FrozenRequest, _ parts: [FormPart], attempt number: Int64
    ) async throws -> URL {
        let path = bodyPath(ofAttempt: number)
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            guard
                FileManager.default.createFile(
                    atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw CocoaError(.fileWriteUnknown) }
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            defer { try? file.close() }
            if parts.isEmpty {
                try file.write(contentsOf: request.body)
            } else {
                let body = try body(
                    of: parts, contentType: request.fields["Content-Type"] ?? "")
                for try await chunk in body.chunks { try file.write(contentsOf: Data(chunk)) }
            }
            return URL(filePath: path)
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw OutboxError(.fileUnavailable, "the body of a request cannot be written to a file")
        }
    }

    func removeBody(ofAttempt number: Int64) {
        try? FileManager.default.removeItem(atPath: bodyPath(ofAttempt: number))
    }

    /// Returns the numbers of the attempts whose bodies were written for the system.
    func uploadedAttempts() -> Set<Int64> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return Set(
            names.compactMap {
                $0.hasPrefix(Self.uploadPrefix) ? Int64($0.dropFirst(Self.uploadPrefix.count)) : nil
            })
    }

    // MARK: Sending

    /// Returns the body of a form, whose files are read when it is sent.
    ///
    /// - Throws: ``/RestTransport/TransportError`` with code `bodyUnavailable` if a file is missing.
    func body(of parts: [FormPart], contentType: String) throws -> MessageBody {
        var form = MultipartForm()
        for part in parts {
            switch part.content {
            case .text(let text): try form.addField(text, named: part.name)
            case .file(let digest):
                try form.addFile(
                    at: "\(directory)/\(digest)", named: part.name, fileName: part.fileName,
                    contentType: part.contentType)
            }
        }
        var boundary = FormBoundary(contentType: contentType) ?? FormBoundary()
        return try form.message(using: &boundary).body
    }
}

/// The random bits of the boundary of a form, which are kept with its request.
struct FormBoundary: RandomNumberGenerator {
    private let bits: [UInt64]
    private var position = 0

    init() {
        bits = [UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max)]
    }

    /// Creates the bits of a boundary; returns `nil` if the value of a Content-Type field has none.
    init?(contentType: String) {
        guard let digits = contentType.split(separator: "-").last, digits.utf8.count == 32,
            let first = UInt64(digits.prefix(16), radix: 16),
            let second = UInt64(digits.suffix(16), radix: 16)
        else { return nil }
        bits = [first, second]
    }

    /// The value of the Content-Type field of a form without parts, which has the boundary of these bits.
    var contentType: String {
        get throws {
            var copy = self
            return try MultipartForm().message(using: &copy).contentType
        }
    }

    mutating func next() -> UInt64 {
        defer { position += 1 }
        return position < bits.count ? bits[position] : UInt64.random(in: 0 ... .max)
    }
}

extension OutboxTables {
    /// Returns the names of the files to which entries refer; `nil` if an entry cannot be read.
    fileprivate func digests() throws(PersistenceError) -> Set<String>? {
        let statement = try PreparedStatement(
            "SELECT command FROM \(Self.entries) WHERE command IS NOT NULL", in: database)
        var digests: Set<String> = []
        while try statement.step() {
            guard let command = CommandText.decode(statement.text(0)) else { return nil }
            for part in command.parts {
                if let digest = part.digest { digests.insert(digest) }
            }
        }
        return digests
    }
}
