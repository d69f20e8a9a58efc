// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// A database file that is read beside the program that writes it.
struct DatabaseFile {
    private let url: URL

    init(_ url: URL) { self.url = url }

    /// Calls a closure with a connection that cannot write.
    func read<Value>(_ body: (Database) throws -> Value) throws(MirrorError) -> Value {
        let path = url.path(percentEncoded: false)
        var isFolder: ObjCBool = false
        let isPresent = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        guard isPresent, !isFolder.boolValue else {
            throw MirrorError(
                .notAMirror,
                details: [
                    isPresent ? "\(path) is a folder; name a file" : "there is no file \(path)"
                ])
        }
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(5)
            return try DatabaseQueue(path: path, configuration: configuration).read(body)
        } catch let error as MirrorError {
            throw error
        } catch let error as DatabaseError {
            throw failure(error)
        } catch {
            throw MirrorError(.storeFailed, underlying: error)
        }
    }

    private func failure(_ error: DatabaseError) -> MirrorError {
        let name = url.lastPathComponent
        let folder = url.deletingLastPathComponent().path(percentEncoded: false)
        let canCreateFiles = FileManager.default.isWritableFile(atPath: folder)
        return switch (error.resultCode, canCreateFiles) {
        case (.SQLITE_NOTADB, _):
            MirrorError(
                .notAMirror, details: ["\(name) is no SQLite file; name another file"],
                underlying: error)
        case (.SQLITE_READONLY, true):
            MirrorError(
                .storeFailed, details: ["the statement writes, and a query can only read"],
                underlying: error)
        case (.SQLITE_READONLY, _), (.SQLITE_CANTOPEN, _):
            MirrorError(
                .storeFailed,
                details: [
                    "SQLite needs files beside \(name), and cannot create them; copy \(name) to a folder that "
                        + "can be written"
                ], underlying: error)
        default:
            MirrorError(
                .storeFailed, details: [error.message ?? "\(error.resultCode)"], underlying: error)
        }
    }
}
