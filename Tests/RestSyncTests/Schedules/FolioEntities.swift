// SPDX-License-Identifier: Apache-2.0

import RestKit

@Entity final class Folio: ManagedObject {
    @Identity var id: Int
    var title: String?
    var remark: String?
    var scribe: Scribe?
    var seals: [Seal]
    @Inverse(\Line.folio) var lines: [Line]
}

@Entity final class Scribe: ManagedObject {
    @Identity var id: Int
    var name: String?
    @Inverse(\Folio.scribe) var folios: Set<Folio>
}

@Entity final class Seal: ManagedObject {
    @Identity var id: Int
    var name: String?
}

@Entity final class Line: ManagedObject {
    @Identity var id: Int
    var name: String?
    var folio: Folio?
}

/// A value of a property, of the models of a server and of a store.
enum NaiveValue: Hashable, Sendable, CustomStringConvertible {
    case text(String?)
    case one(Int?)
    case many([Int])

    var description: String {
        switch self {
        case .text(let text): text ?? "-"
        case .one(let id): id.map(String.init) ?? "-"
        case .many(let ids): "\(ids)"
        }
    }
}

/// A folio as a server sends it: each property may be absent, and nested objects may lack their names.
struct FolioRepresentation: Sendable, Hashable {
    struct Child: Sendable, Hashable {
        let id: Int
        let name: String?

        var json: String { name.map { #"{"id":\#(id),"name":"\#($0)"}"# } ?? #"{"id":\#(id)}"# }
    }

    let id: Int
    var title: String??
    var remark: String??
    var scribe: Child??
    var seals: [Child]?
    var lines: [Child]?
    /// A Boolean value that indicates whether empty lists are written as null.
    var hasNullLists = false

    var json: String {
        func text(_ value: String?) -> String { value.map { "\"\($0)\"" } ?? "null" }
        func list(_ children: [Child]) -> String {
            children.isEmpty && hasNullLists
                ? "null" : "[\(children.map(\.json).joined(separator: ","))]"
        }
        var members = ["\"id\":\(id)"]
        if let title { members.append("\"title\":\(text(title))") }
        if let scribe { members.append("\"scribe\":\(scribe?.json ?? "null")") }
        if let remark { members.append("\"remark\":\(text(remark))") }
        if let lines { members.append("\"lines\":\(list(lines))") }
        if let seals { members.append("\"seals\":\(list(seals))") }
        return "{\(members.joined(separator: ","))}"
    }

    /// The values of the properties that are present, without lines.
    var values: [String: NaiveValue] {
        var values: [String: NaiveValue] = [:]
        if let title { values["title"] = .text(title) }
        if let remark { values["remark"] = .text(remark) }
        if let scribe { values["scribe"] = .one(scribe?.id) }
        if let seals { values["seals"] = .many(seals.map(\.id)) }
        return values
    }
}
