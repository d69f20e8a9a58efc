// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping

/// A class with a subclass, in the form of the macro's expansion.
class Profile: Mapped {
    var name: String?
    var age = 0

    required init() {}

    convenience init(name: String?, age: Int = 0) {
        self.init()
        self.name = name
        self.age = age
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(name)
        case 1: try writer.write(age)
        default: break
        }
    }

    class var properties: PropertyTable {
        PropertyTable(Profile.self, Draft.properties(of: Profile.self))
    }

    class Draft: InheritableDraft {
        private let subject: Profile
        private var name: String??
        private var age: Int?

        init(editing subject: Profile) { self.subject = subject }

        static func properties<Subject: Profile>(of subject: Subject.Type) -> [Property] {
            [
                Property("name", \Subject.name, String?.self),
                Property("age", \Subject.age, Int.self),
            ]
        }

        func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(&name, current: subject.name, default: .some(nil))
            case 1: try source.assign(&age, current: subject.age, default: 0)
            default: break
            }
        }

        func finish() throws(MappingFailure) -> Profile {
            if let name { subject.name = name }
            if let age { subject.age = age }
            return subject
        }
    }

    class func makeDraft() -> Draft { Draft(editing: self.init()) }

    func makeDraft() -> Draft { Draft(editing: self) }

    class func finish(_ draft: Draft) throws(MappingFailure) -> Self {
        try draft.finish(as: Self.self)
    }
}

final class MemberProfile: Profile {
    override class var properties: PropertyTable {
        PropertyTable(MemberProfile.self, Draft.properties(of: MemberProfile.self))
    }
}

/// A type without a mapping of its own.
struct Invitation: Codable, Equatable {
    var email: String
    var note: String?
}

/// An object with a value that may have no representation.
struct Rating: Equatable {
    var value: Double
}

extension Rating: Mapped {
    struct Draft: MappingDraft {
        private var value = 0.0

        init() {}

        init(editing subject: Rating) { value = subject.value }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            if property == 0 { value = try source.read(Double.self) }
        }

        consuming func finish() throws(MappingFailure) -> Rating { Rating(value: value) }
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        if property == 0 { try writer.write(value) }
    }

    static let properties = PropertyTable(
        Rating.self, [Property("value", \Rating.value, Double.self)])
}

/// An object that declares its mappings by names.
struct Project: Equatable {
    var title = ""
    var lead: Author?
}

extension Project: ObjectMappable {
    static let elementToPropertyMappings: [SourcePath: String] = ["project_title": "title"]
    static let elementToRelationshipMappings: [SourcePath: String] = ["lead": "lead"]
    static let relationshipsToSerialize = ["lead"]

    func willSend(_ parameters: inout Document) {
        parameters = parameters.merging(["sent": true])
    }

    struct Draft: MappingDraft {
        private var project = Project()

        init() {}

        init(editing subject: Project) { project = subject }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: project.title = try source.read(String.self)
            case 1: project.lead = try source.read(Author?.self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Project { project }
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(title)
        case 1: try writer.write(lead)
        default: break
        }
    }

    static let properties = PropertyTable(
        Project.self,
        [
            Property("title", \Project.title, String.self),
            Property("lead", \Project.lead, Author?.self),
        ])
}

/// An object with a URL.
struct Link: Equatable {
    var url: URL?
}

extension Link: Mapped {
    struct Draft: MappingDraft {
        private var url: URL?

        init() {}

        init(editing subject: Link) { url = subject.url }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            if property == 0 { url = try source.read(URL?.self) }
        }

        consuming func finish() throws(MappingFailure) -> Link { Link(url: url) }
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        if property == 0 { try writer.write(url) }
    }

    static let properties = PropertyTable(Link.self, [Property("url", \Link.url, URL?.self)])
}
