// SPDX-License-Identifier: Apache-2.0

public import Foundation
import GRDB
public import RestDefinition
import RestDocument

/// The state of a mirror's file.
public struct MirrorStatus: Sendable, Equatable {
    /// The state of a resource.
    public struct Resource: Sendable, Equatable {
        /// The name.
        public var name: String
        /// The number of its lists: one, or one for each combination of parents.
        public var listCount: Int
        /// The number of lists that have been read to their end.
        public var completeListCount: Int
        /// The number of lists whose walk goes on with the next run.
        public var interruptedListCount: Int
        /// The number of pages that the file knows.
        public var pageCount: Int
        /// The number of records of these pages.
        public var recordCount: Int
        /// The largest position that a list has reached; `nil` without a cursor.
        public var cursor: String?
        /// The number of rows that lists have lost, and which are not deleted yet.
        public var missingCount: Int
        /// The number of values in quarantine, because they do not fit the schema.
        public var quarantinedCount: Int
    }

    /// The number of rows of an entity.
    public struct Entity: Sendable, Equatable {
        /// The name.
        public var name: String
        /// The number of rows.
        public var rowCount: Int
    }

    /// The definition of the mirror.
    public let definition: Definition
    /// The resources in the order of the definition.
    public let resources: [Resource]
    /// The entities in the order of the definition.
    public let entities: [Entity]
    /// The number of references that wait for their rows.
    public let pendingReferenceCount: Int

    /// A Boolean value that indicates whether every resource has been read to its end.
    public var isComplete: Bool {
        resources.allSatisfy {
            $0.listCount > 0 && $0.completeListCount == $0.listCount && $0.interruptedListCount == 0
        }
    }

    /// Reads the state of a file, also while a run writes it.
    ///
    /// - Throws: ``MirrorError`` with code `notAMirror` or `storeFailed`.
    public init(of url: URL) throws(MirrorError) {
        self = try DatabaseFile(url).read { database in try MirrorStatus(database, at: url) }
    }

    private init(_ database: Database, at url: URL) throws {
        let tables = MirrorTables(database: database)
        guard let definition = try Self.definition(tables) else {
            throw MirrorError(
                .notAMirror, details: ["\(url.lastPathComponent) has no definition of a mirror"])
        }
        self.definition = definition
        resources = try definition.resources.map { resource in
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT count(*) AS lists, coalesce(sum(complete), 0) AS complete, \
                    max(cursor) AS cursor, \
                    (SELECT count(*) FROM \(MirrorTables.walks) WHERE list IN \
                    (\(MirrorTables.listsOfResource))) AS walks, \
                    (SELECT count(*) FROM \(MirrorTables.pages) WHERE page >= 0 AND list IN \
                    (\(MirrorTables.listsOfResource))) AS pages, \
                    (SELECT coalesce(sum(records), 0) FROM \(MirrorTables.pages) WHERE list IN \
                    (\(MirrorTables.listsOfResource))) AS records, \
                    (SELECT count(*) FROM \(MirrorTables.missing) WHERE list IN \
                    (\(MirrorTables.listsOfResource))) AS missing \
                    FROM \(MirrorTables.lists) WHERE \(MirrorTables.isOfResource)
                    """, arguments: [resource.name])
            return Resource(
                name: resource.name, listCount: row?["lists"] ?? 0,
                completeListCount: row?["complete"] ?? 0,
                interruptedListCount: row?["walks"] ?? 0, pageCount: row?["pages"] ?? 0,
                recordCount: row?["records"] ?? 0,
                cursor: try row?["cursor"] ?? tables.sharedCursor(of: resource.name).start,
                missingCount: row?["missing"] ?? 0,
                quarantinedCount: try tables.quarantineCount(of: resource.name))
        }
        entities = try definition.entities.map { entity in
            let name = entity.name.replacing("\"", with: "\"\"")
            let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM \"\(name)\"")
            return Entity(name: entity.name, rowCount: count ?? 0)
        }
        pendingReferenceCount =
            try database.tableExists("restkit_pending")
            ? Int.fetchOne(database, sql: "SELECT count(*) FROM restkit_pending") ?? 0 : 0
    }

    /// Returns the definition that a file contains; `nil` if there is no file, or no definition in it.
    ///
    /// - Throws: ``MirrorError`` with code `notAMirror` if the file is no database.
    public static func definition(storedIn url: URL) throws(MirrorError) -> Definition? {
        let path = url.path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try DatabaseFile(url).read { database in
            let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
            if count > 0, try !database.tableExists("restkit_store") {
                throw MirrorError(
                    .notAMirror,
                    details: [
                        "\(url.lastPathComponent) is the database of another program; name another file"
                    ])
            }
            return try definition(MirrorTables(database: database))
        }
    }

    /// Returns the URL from which the definition of a file was inferred; `nil` if it was written.
    ///
    /// - Throws: ``MirrorError`` with code `notAMirror` or `storeFailed`.
    public static func origin(of url: URL) throws(MirrorError) -> String? {
        try DatabaseFile(url).read { database in
            try MirrorTables(database: database).fact(MirrorTables.originFact)
        }
    }

    static func definition(_ tables: MirrorTables) throws -> Definition? {
        guard let text = try tables.fact(MirrorTables.definitionFact) else { return nil }
        do throws(DefinitionError) {
            return try Definition(parsingStoredJSON: Array(text.utf8))
        } catch {
            throw MirrorError(.notAMirror, details: error.diagnostics.map(\.description))
        }
    }
}
