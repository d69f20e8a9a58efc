// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A structure of plain values of many types, none required.
struct Leaf: Mapped, Equatable {
    enum Kind: String, MappableValue {
        case small
        case large
    }

    var name: String?
    var count: Int?
    var small: UInt8?
    var ratio: Double?
    var isOpen = false
    var day: Date?
    var price: Decimal?
    var kind: Kind?
    var tags: [String] = []
    var scores: [String: Int] = [:]

    struct Draft: MappingDraft {
        private var leaf: Leaf
        private var isOpen: Bool?
        private var tags: [String]?
        private var scores: [String: Int]?

        init() { leaf = Leaf() }

        init(editing subject: Leaf) { leaf = subject }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(nullable: &leaf.name)
            case 1: try source.assign(nullable: &leaf.count)
            case 2: try source.assign(nullable: &leaf.small)
            case 3: try source.assign(nullable: &leaf.ratio)
            case 4: try source.assign(&isOpen, current: leaf.isOpen, default: false)
            case 5: try source.assign(nullable: &leaf.day)
            case 6: try source.assign(nullable: &leaf.price)
            case 7: try source.assign(nullable: &leaf.kind)
            case 8: try source.assign(&tags, current: leaf.tags, default: [])
            case 9: try source.assign(&scores, current: leaf.scores, default: [:])
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Leaf {
            var leaf = leaf
            leaf.isOpen = isOpen ?? leaf.isOpen
            leaf.tags = tags ?? leaf.tags
            leaf.scores = scores ?? leaf.scores
            return leaf
        }
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(name)
        case 1: try writer.write(count)
        case 2: try writer.write(small)
        case 3: try writer.write(ratio)
        case 4: try writer.write(isOpen)
        case 5: try writer.write(day)
        case 6: try writer.write(price)
        case 7: try writer.write(kind)
        case 8: try writer.write(tags)
        case 9: try writer.write(scores)
        default: break
        }
    }

    static let properties = PropertyTable(
        Leaf.self,
        [
            Property("name", \Leaf.name, String?.self),
            Property("count", \Leaf.count, Int?.self),
            Property("small", \Leaf.small, UInt8?.self),
            Property("ratio", \Leaf.ratio, Double?.self),
            Property("isOpen", \Leaf.isOpen, Bool.self),
            Property("day", \Leaf.day, Date?.self),
            Property("price", \Leaf.price, Decimal?.self),
            Property("kind", \Leaf.kind, Kind?.self),
            Property("tags", \Leaf.tags, [String].self),
            Property("scores", \Leaf.scores, [String: Int].self),
        ])

    /// The properties whose value differs from that of a new object, as bits at their indices.
    var changed: UInt16 {
        let new = Leaf()
        var bits: UInt16 = 0
        if name != new.name { bits |= 1 }
        if count != new.count { bits |= 2 }
        if small != new.small { bits |= 4 }
        if ratio != new.ratio { bits |= 8 }
        if isOpen != new.isOpen { bits |= 16 }
        if day != new.day { bits |= 32 }
        if price != new.price { bits |= 64 }
        if kind != new.kind { bits |= 128 }
        if tags != new.tags { bits |= 256 }
        if scores != new.scores { bits |= 512 }
        return bits
    }
}

/// A class with objects of its own type and of another, and a required property.
final class Branch: Mapped, Equatable {
    let id: Int
    var label: String?
    var leaf: Leaf?
    var leaves: [Leaf]
    var parent: Branch?
    var branches: [Branch]

    init(
        id: Int, label: String? = nil, leaf: Leaf? = nil, leaves: [Leaf] = [],
        parent: Branch? = nil, branches: [Branch] = []
    ) {
        self.id = id
        self.label = label
        self.leaf = leaf
        self.leaves = leaves
        self.parent = parent
        self.branches = branches
    }

    static func == (left: Branch, right: Branch) -> Bool {
        left.id == right.id && left.label == right.label && left.leaf == right.leaf
            && left.leaves == right.leaves && left.parent == right.parent
            && left.branches == right.branches
    }

    struct Draft: MappingDraft {
        private var subject: Branch?
        private var id: Int?
        private var label: String??
        private var leaf: Leaf??
        private var leaves: [Leaf]?
        private var parent: Branch??
        private var branches: [Branch]?

        init() {}

        init(editing subject: Branch) { self.subject = subject }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(&id, current: subject?.id)
            case 1: try source.assign(&label, current: subject.map(\.label))
            case 2: try source.assign(&leaf, current: subject.map(\.leaf))
            case 3: try source.assign(&leaves, current: subject?.leaves, default: [])
            case 4: try source.assign(&parent, current: subject.map(\.parent))
            case 5: try source.assign(&branches, current: subject?.branches, default: [])
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Branch {
            guard let subject else {
                guard let id else { throw .missing(property: 0) }
                return Branch(
                    id: id, label: label ?? nil, leaf: leaf ?? nil, leaves: leaves ?? [],
                    parent: parent ?? nil, branches: branches ?? [])
            }
            if let label { subject.label = label }
            if let leaf { subject.leaf = leaf }
            if let leaves { subject.leaves = leaves }
            if let parent { subject.parent = parent }
            if let branches { subject.branches = branches }
            return subject
        }
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(id)
        case 1: try writer.write(label)
        case 2: try writer.write(leaf)
        case 3: try writer.write(leaves)
        case 4: try writer.write(parent)
        case 5: try writer.write(branches)
        default: break
        }
    }

    static let properties = PropertyTable(
        Branch.self,
        [
            Property("id", \Branch.id, Int.self, isRequired: true),
            Property("label", \Branch.label, String?.self),
            Property("leaf", \Branch.leaf, Leaf?.self),
            Property("leaves", \Branch.leaves, [Leaf].self),
            Property("parent", \Branch.parent, Branch?.self),
            Property("branches", \Branch.branches, [Branch].self),
        ])

    /// The properties whose value differs from that of a new object, as bits at their indices.
    var changed: UInt16 {
        var bits: UInt16 = 1
        if label != nil { bits |= 2 }
        if leaf != nil { bits |= 4 }
        if !leaves.isEmpty { bits |= 8 }
        if parent != nil { bits |= 16 }
        if !branches.isEmpty { bits |= 32 }
        return bits
    }
}
