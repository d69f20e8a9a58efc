// SPDX-License-Identifier: Apache-2.0

import Foundation

extension FetchCompiler {
    /// The maximum number of values to bind one by one; longer lists are one JSON array, so that the
    /// number of different statements is small.
    private static let inlineLimit = 20

    func name(_ row: FetchPlan.Row) -> String { "t\(row.alias)" }

    func key(of row: FetchPlan.Row) -> String { read(Self.key, of: name(row)) }

    func column(_ index: Int, of alias: String, _ layout: EntityLayout) -> String {
        read(layout.columns[index].quoted, of: alias)
    }

    /// Returns a column of a row, or of the arm that has it.
    func read(_ column: String, of alias: String) -> String {
        joined.contains(alias)
            ? "coalesce(\(alias).\(column), p\(alias).\(column))" : "\(alias).\(column)"
    }

    /// Returns the SQL of a number that is stored as text, in a form with the order of numbers.
    mutating func orderedNumber(_ value: FetchPlan.Value) -> String {
        switch value {
        case .constant(.text(let digits)): return bound(.text(NumericText.orderKey(of: digits)))
        case .leaf(_, let hops, .column, _) where hops.isEmpty:
            return NumericText.orderExpression(text(value))
        default:
            return "(SELECT \(NumericText.orderExpression("v")) FROM (SELECT \(text(value)) AS v))"
        }
    }

    /// Returns the UTF-8 of a text without ignored differences.
    mutating func folded(_ text: String, _ options: TextOptions) -> String {
        "restkit_fold(CAST(\(text) AS BLOB), \(options.rawValue))"
    }

    /// Returns the SQL of a value.
    mutating func text(_ value: FetchPlan.Value) -> String {
        switch value {
        case .constant(let value): return bound(value)
        case .arithmetic(let left, let symbol, let right):
            return "(\(text(left)) \(symbol.rawValue) \(text(right)))"
        case .leaf(let row, let hops, let leaf, _):
            if hops.isEmpty { return text(leaf, of: row) }
            return path(row, hops, leaf)
        case .element(let alias, let type): return element("e\(alias)", type)
        case .elementCount(let value): return "json_array_length(\(array(value)))"
        case .member(let value, let member): return self.member(member, of: value)
        }
    }

    private mutating func text(_ leaf: FetchPlan.Leaf, of row: FetchPlan.Row) -> String {
        switch leaf {
        case .column(let index):
            return column(index, of: name(row), plan.model.layouts[row.entity])
        case .count(let relationship, let member, let condition):
            return count(of: row, relationship, member, condition)
        }
    }

    /// Returns a query for a value at the end of a path of to-one relationships.
    ///
    /// With unsaved changes, each destination is joined with both arms, of which one has the row.
    private mutating func path(
        _ row: FetchPlan.Row, _ hops: [FetchPlan.Hop], _ leaf: FetchPlan.Leaf
    ) -> String {
        let outer = joined
        defer { joined = outer }
        var owner = row
        var isPending = false
        var sources: [(table: String, condition: String)] = []
        for hop in hops {
            let reference = reference(from: owner, hop)
            let alias = name(hop.row)
            joined.remove(alias)
            let arms = arms(of: plan.model.layouts[hop.row.entity].table, alias)
            let conditions = [reference(alias), arms[0].isUnchanged].compactMap(\.self)
            sources.append((arms[0].source, conditions.joined(separator: " AND ")))
            if arms.count > 1 {
                // Both arms are in one query, so that the second one has an alias of its own.
                let table = plan.model.layouts[hop.row.entity].table
                sources.append(
                    ("\(PendingName.rows(table)) AS p\(alias)", reference("p\(alias)")))
                joined.insert(alias)
                isPending = true
            }
            owner = hop.row
        }
        let value = text(leaf, of: owner)
        if isPending {
            let joins = sources.map { "LEFT JOIN \($0.table) ON \($0.condition)" }
            return "(SELECT \(value) FROM (SELECT 1) \(joins.joined(separator: " ")) "
                + "WHERE \(key(of: owner)) IS NOT NULL)"
        }
        return "(SELECT \(value) FROM \(sources.map(\.table).joined(separator: ", ")) "
            + "WHERE \(sources.map(\.condition).joined(separator: " AND ")))"
    }

    /// Returns the condition that a row with an alias is the destination of a relationship.
    private func reference(
        from owner: FetchPlan.Row, _ hop: FetchPlan.Hop
    ) -> (_ alias: String) -> String {
        let layout = plan.model.layouts[hop.row.entity]
        switch hop.relationship.storage {
        case .column(let index):
            let own = column(index, of: name(owner), plan.model.layouts[owner.entity])
            return { "\($0).\(Self.key) = \(own)" }
        case .inverseColumn(let index, _):
            let own = key(of: owner)
            return { "\($0).\(layout.columns[index].quoted) = \(own)" }
        case .link(let index, let isForward):
            let link = "l\(hop.row.alias)"
            let ends = isForward ? ("source", "target") : ("target", "source")
            let condition = "\(link).\(ends.0) = \(key(of: owner))"
            let members = arms(ofLink: index, link)
                .map { $0.query("\(link).\(ends.1)", condition) }
                .joined(separator: " UNION ALL ")
            return { "\($0).\(Self.key) IN (\(members))" }
        }
    }

    private mutating func count(
        of row: FetchPlan.Row, _ relationship: RelationshipLayout, _ member: FetchPlan.Row,
        _ condition: FetchPlan.Condition
    ) -> String {
        let inner = sql(condition, isNegated: false)
        let alias = name(member)
        let own = key(of: row)
        let layout = plan.model.layouts[member.entity]
        var terms: [String]
        let arms: [Arm]
        switch relationship.storage {
        case .inverseColumn(let index, _):
            arms = self.arms(of: layout.table, alias)
            terms = ["\(alias).\(layout.columns[index].quoted) = \(own)"]
            if inner != "1" { terms.append(inner) }
        case .link(let index, let isForward):
            let link = "l\(member.alias)"
            let ends = isForward ? ("source", "target") : ("target", "source")
            arms = self.arms(ofLink: index, link)
            terms = ["\(link).\(ends.0) = \(own)"]
            if inner != "1" {
                let keys = self.arms(of: layout.table, alias)
                    .map { $0.query("\(alias).\(Self.key)", inner) }
                    .joined(separator: " UNION ALL ")
                terms.append("\(link).\(ends.1) IN (\(keys))")
            } else if let deleted = deletedKeys(of: member.entity) {
                terms.append("\(link).\(ends.1) NOT IN (\(deleted))")
            }
        case .column: return "0"
        }
        let counts = arms.map { "(\($0.query("count(*)", terms.joined(separator: " AND "))))" }
        return counts.count == 1 ? counts[0] : "(\(counts.joined(separator: " + ")))"
    }

    // MARK: Lists

    mutating func list(of keys: [Int64]) -> String {
        if keys.count == 1 { return bound(.integer(keys[0])) }
        guard keys.count > Self.inlineLimit else {
            return keys.map { bound(.integer($0)) }.joined(separator: ", ")
        }
        return "SELECT value FROM json_each(\(bound(RowQuery.list(keys))))"
    }

    /// Returns the SQL of a list: parameters for a short one, a JSON array for a long one.
    ///
    /// Numbers pass as their bits and texts with NUL as Base64, as JSON would alter them.
    mutating func list(_ values: Set<StoredValue>) -> String {
        guard values.count > Self.inlineLimit else {
            return values.sorted { $0.compare($1) < 0 }.map { bound($0) }.joined(separator: ", ")
        }
        var plain: [String] = []
        var doubles: [String] = []
        var texts: [String] = []
        var data: [String] = []
        for value in values {
            switch value {
            case .integer(let number): plain.append(String(number))
            case .double(let number): doubles.append(String(Int64(bitPattern: number.bitPattern)))
            case .text(let text) where text.utf8.contains(0):
                texts.append("\"\(Data(text.utf8).base64EncodedString())\"")
            case .text(let text): plain.append(Self.quotedJSON(text))
            case .data(let bytes): data.append("\"\(bytes.base64EncodedString())\"")
            case .null: break
            }
        }
        let parts = [
            ("value", plain), ("restkit_double(value)", doubles),
            ("CAST(restkit_data(value) AS TEXT)", texts), ("restkit_data(value)", data),
        ]
        return parts.filter { !$0.1.isEmpty }.map { column, elements in
            let array = bound(.text("[" + elements.joined(separator: ",") + "]"))
            return "SELECT \(column) FROM json_each(\(array))"
        }.joined(separator: " UNION ALL ")
    }

    private static func quotedJSON(_ text: String) -> String {
        var quoted: [UInt8] = [0x22]
        quoted.reserveCapacity(text.utf8.count + 2)
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5C: quoted += [0x5C, byte]
            case ..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                quoted += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: quoted.append(byte)
            }
        }
        quoted.append(0x22)
        return String(decoding: quoted, as: UTF8.self)
    }
}

extension TextMatch {
    /// The UTF-8 of the text without ignored differences.
    var bytes: Data { Data(options.folded(text).utf8) }

    /// A Boolean value that indicates whether all texts match, but not null.
    var isTrueForAllTexts: Bool {
        switch kind {
        case .equal: false
        case .prefix, .suffix, .contains: bytes.isEmpty
        }
    }
}
