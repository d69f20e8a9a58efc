// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// A class with subclasses, all of them mapped; written by hand in the form of the macro's
/// expansion.
class Human: Mapped {
    var name = ""
    var friends: [Human] = []

    required init() {}

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(name)
        case 1: try writer.write(friends)
        default: break
        }
    }

    class var properties: PropertyTable {
        PropertyTable(Human.self, Draft.properties(of: Human.self))
    }

    class Draft: InheritableDraft {
        private let subject: Human
        private var name: String?
        private var friends: [Human]?

        init(editing subject: Human) { self.subject = subject }

        static func properties<Subject: Human>(of subject: Subject.Type) -> [Property] {
            [
                Property("name", \Subject.name, String.self),
                Property("friends", \Subject.friends, [Human].self),
            ]
        }

        func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(&name, current: subject.name, default: "")
            case 1: try source.assign(&friends, current: subject.friends, default: [])
            default: break
            }
        }

        func finish() throws(MappingFailure) -> Human {
            if let name { subject.name = name }
            if let friends { subject.friends = friends }
            return subject
        }
    }

    class func makeDraft() -> Draft { Draft(editing: self.init()) }

    func makeDraft() -> Draft { Draft(editing: self) }

    class func finish(_ draft: Draft) throws(MappingFailure) -> Self {
        try draft.finish(as: Self.self)
    }
}

final class Boy: Human {
    override class var properties: PropertyTable {
        PropertyTable(Boy.self, Draft.properties(of: Boy.self))
    }
}

final class Girl: Human {
    override class var properties: PropertyTable {
        PropertyTable(Girl.self, Draft.properties(of: Girl.self))
    }
}
