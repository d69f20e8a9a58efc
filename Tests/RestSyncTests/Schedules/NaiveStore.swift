// SPDX-License-Identifier: Apache-2.0

/// A reference model of a store, in which every value knows when it was asked for.
///
/// Requests, saves and responses to writes have numbers in one order. A response to a read changes what has
/// no greater number than its request; it inserts no object whose deletion has a greater one.
struct NaiveStore {
    struct Cell {
        var value: NaiveValue
        var number: Int
    }

    struct Row {
        var cells: [String: Cell] = [:]
        /// The number of the transaction that has inserted the row.
        var created = 0
        /// The greatest number of what has written or listed the row.
        var number: Int
    }

    /// A list of a server that the store has.
    struct List {
        var members: [Int]
        var number: Int
    }

    private(set) var folios: [Int: Row] = [:]
    private(set) var scribes: [Int: Row] = [:]
    private(set) var seals: [Int: Row] = [:]
    /// The lines that the store has; `lines` of a folio are exact only without overtaking.
    private(set) var lines: [Int: Row] = [:]
    private var deletions: [Int: Int] = [:]
    var lists: [String: List] = [:]
    /// The unsaved values of the contexts, by folio and property.
    var edits: [[Int: [String: NaiveValue]]] = [[:], [:]]
    /// The number of the last change by another store.
    private var foreignNumber = 0

    // MARK: Reading

    static let names = ["title", "remark", "scribe", "seals"]

    /// Returns the rows, as the store or a context shows them.
    func rows(in context: Int? = nil, hasLines: Bool) -> [String] {
        folios.keys.sorted().map { id in
            let values = Self.names.map { name in
                "\(name) \(value(name, of: id, in: context))"
            }
            let lines = hasLines ? ["lines \(linesValue(of: id))"] : []
            return (["\(id)"] + values + lines).joined(separator: "|")
        }
    }

    /// Returns the rows of related objects.
    var relatedRows: [String] {
        [("Scribe", scribes), ("Seal", seals)].flatMap { entity, rows in
            rows.sorted { $0.key < $1.key }.map {
                "\(entity) \($0.key) \($0.value.cells["name"]?.value ?? .text(nil))"
            }
        }
    }

    private func linesValue(of id: Int) -> NaiveValue {
        folios[id]?.cells["lines"]?.value ?? .many([])
    }

    func value(_ name: String, of id: Int, in context: Int? = nil) -> NaiveValue {
        if let context, let edit = edits[context][id]?[name] { return edit }
        if let cell = folios[id]?.cells[name] { return cell.value }
        return name == "seals" ? .many([]) : name == "scribe" ? .one(nil) : .text(nil)
    }

    // MARK: Responses

    /// Imports representations of folios.
    ///
    /// - Parameters:
    ///   - representations: The representations.
    ///   - number: The number of the request, or of the response to a write.
    ///   - now: The number of the transaction.
    /// - Returns: The folios that are imported.
    @discardableResult
    mutating func add(
        _ representations: [FolioRepresentation], _ number: Int, at now: Int
    ) -> [Int] {
        representations.compactMap { folio in
            if folios[folio.id] == nil {
                if deletions[folio.id, default: 0] > number { return nil }
                folios[folio.id] = Row(created: now, number: number)
            }
            for child in [folio.scribe ?? nil].compactMap(\.self) {
                Self.add(child, number, to: &scribes)
            }
            for child in folio.seals ?? [] { Self.add(child, number, to: &seals) }
            for child in folio.lines ?? [] { Self.add(child, number, to: &lines) }
            raise(folio.id, to: number)
            write(folio.values, of: folio.id, number)
            if let lines = folio.lines { setLines(lines.map(\.id), of: folio.id, number) }
            return folio.id
        }
    }

    private static func add(
        _ child: FolioRepresentation.Child, _ number: Int, to rows: inout [Int: Row]
    ) {
        rows[child.id, default: Row(number: number)].number = number
        guard let name = child.name else { return }
        let cell = rows[child.id]?.cells["name"]
        if let cell, cell.number > number { return }
        rows[child.id]?.cells["name"] = Cell(value: .text(name), number: number)
    }

    /// Writes values of a folio that are not older than those of the store.
    mutating func write(_ values: [String: NaiveValue], of id: Int, _ number: Int) {
        for (name, value) in values {
            if let cell = folios[id]?.cells[name], cell.number > number { continue }
            folios[id]?.cells[name] = Cell(value: value, number: number)
            raise(id, to: number)
        }
    }

    private mutating func raise(_ id: Int, to number: Int) {
        if let row = folios[id] { folios[id]?.number = max(row.number, number) }
    }

    private mutating func setLines(_ members: [Int], of id: Int, _ number: Int) {
        for other in folios.keys where other != id {
            guard case .many(var lines) = folios[other]?.cells["lines"]?.value else { continue }
            lines.removeAll(where: members.contains)
            folios[other]?.cells["lines"]?.value = .many(lines)
        }
        folios[id]?.cells["lines"] = Cell(value: .many(members), number: number)
    }

    /// Returns the differences between the store and what a server confirms as unmodified.
    func contradictions(to folios: [FolioRepresentation], _ number: Int) -> [String] {
        folios.flatMap { folio -> [String] in
            guard let row = self.folios[folio.id] else {
                return deletions[folio.id, default: 0] > number ? [] : ["\(folio.id) is missing"]
            }
            return folio.values.compactMap { name, value in
                let cell = row.cells[name]
                if let cell, cell.value == value || cell.number > number { return nil }
                return "\(folio.id) \(name) \(self.value(name, of: folio.id)), not \(value)"
            }
        }
    }

    /// Deletes the folios that a list of all lacks, except those that were written later.
    mutating func keepOnly(_ ids: [Int], _ number: Int) {
        if foreignNumber > number { return }
        for (id, row) in folios where !ids.contains(id) && row.number <= number {
            remove(id, number)
        }
    }

    mutating func remove(_ id: Int, _ number: Int) {
        folios[id] = nil
        deletions[id] = number
    }

    // MARK: Other writers

    /// Changes what another store of the file has written: its time is not compared.
    mutating func writeElsewhere(_ name: String, _ value: NaiveValue, of id: Int, _ number: Int) {
        folios[id]?.cells[name, default: Cell(value: value, number: 0)].value = value
        foreignNumber = number
    }

    mutating func removeElsewhere(_ id: Int, _ number: Int) {
        folios[id] = nil
        foreignNumber = number
    }

    // MARK: Contexts

    /// Removes edits that others have saved: a context that takes them has no edit any more.
    mutating func takeEqualValues() {
        for context in edits.indices {
            for (id, values) in edits[context] where folios[id] != nil {
                edits[context][id] = values.filter { value($0.key, of: id) != $0.value }
            }
        }
    }

    /// Returns a Boolean value that indicates whether a context has edits of an object that was deleted.
    func hasLostEdits(_ context: Int) -> Bool {
        edits[context].contains { !$0.value.isEmpty && folios[$0.key] == nil }
    }

    /// Saves the edits of a context.
    mutating func save(_ context: Int, _ number: Int) {
        for (id, values) in edits[context] { write(values, of: id, number) }
        edits[context] = [:]
    }
}
