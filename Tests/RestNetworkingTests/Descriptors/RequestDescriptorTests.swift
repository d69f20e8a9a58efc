// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestCurl
import RestDocument
import RestMapping
import RestTransport
import TestSupport
import Testing

@testable import RestNetworking

@Suite struct RequestDescriptorTests {
    private let names = RequestMapping(for: Profile.self, ["name"])
    private let ages = RequestMapping(for: Profile.self, ["age"])

    // MARK: Creating and adding

    @Test(.parity("N080")) func acceptsMappingToRepresentation() throws {
        let api = try manager()
        try api.add(RequestDescriptor(names, rootKey: "human"))
        #expect(api.requestDescriptors == [RequestDescriptor(names, rootKey: "human")])
        #expect(
            try body(of: api.request(for: Profile(name: "Blake"), method: .post, at: "a"))
                == #"{"human":{"name":"Blake"}}"#)
    }

    /// A mapping to a model class is not one of requests: descriptors require another type.
    @Test(.parity("N081", "N082")) func mappingsOfResponsesDescribeNoRequest() throws {
        let toModel: Any = ObjectMapping(for: Profile.self)
        let toModels: Any = DynamicMapping([
            MappingMatcher(at: "kind", equals: "x", mapping: ObjectMapping(for: Profile.self))
        ])
        #expect(!(toModel is any RequestMappingConvertible))
        #expect(!(toModels is any RequestMappingConvertible))
        // A request mapping of a property that the type does not have is rejected by name.
        let api = try manager()
        let invalid = RequestMapping(for: Profile.self, ["nam"])
        var choice = DynamicRequestMapping(for: Profile.self)
        choice.add(invalid)
        for descriptor in [RequestDescriptor(invalid), RequestDescriptor(choice)] {
            let error = #expect(throws: NetworkingError.self) { try api.add(descriptor) }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.description.contains("Profile") == true)
            #expect(error?.description.contains("did you mean 'name'") == true)
        }
        #expect(api.requestDescriptors.isEmpty)
    }

    @Test(.parity("N083", "N084", "N085", "N086")) func equalsBySameProperties() {
        let issues = RequestDescriptor(names, methods: [.post], rootKey: "/issues")
        #expect(issues == RequestDescriptor(names, methods: [.post], rootKey: "/issues"))
        #expect(issues != RequestDescriptor(ages, methods: [.post], rootKey: "/issues"))
        let member = RequestMapping(for: MemberProfile.self, ["name"])
        #expect(issues != RequestDescriptor(member, methods: [.post], rootKey: "/issues"))
        #expect(issues != RequestDescriptor(names, methods: [.post], rootKey: "/"))
        #expect(issues != RequestDescriptor(names, methods: [.put], rootKey: "/issues"))
        #expect(issues != RequestDescriptor(names, methods: [.post]))
    }

    @Test(.parity("N087")) func rejectsSecondDescriptorForTypeAndMethods() throws {
        let api = try manager()
        try api.add(RequestDescriptor(names, rootKey: "a"))
        // An equal one is ignored, one for other methods is added.
        try api.add(RequestDescriptor(names, rootKey: "a"))
        try api.add(RequestDescriptor(names, methods: [.post], rootKey: "b"))
        let error = #expect(throws: NetworkingError.self) {
            try api.add(
                RequestDescriptor(Author.self), RequestDescriptor(names, rootKey: "c"))
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(api.requestDescriptors.map(\.rootKey) == ["a", "b"])
    }

    @Test(.parity("S046", "S048")) func listsAndRemovesDescriptors() throws {
        let api = try manager()
        let descriptors = [
            RequestDescriptor(names, methods: [.post]), RequestDescriptor(Author.self),
        ]
        try api.add(descriptors)
        #expect(api.requestDescriptors == descriptors)
        let responses = [
            ResponseDescriptor(Article.self), ResponseDescriptor(Author.self, at: "a"),
        ]
        try api.add(responses)
        #expect(api.responseDescriptors == responses)
        api.remove(RequestDescriptor(names, methods: [.post]))
        #expect(api.requestDescriptors == [RequestDescriptor(Author.self)])
        api.remove(ResponseDescriptor(Article.self))
        #expect(api.responseDescriptors == [ResponseDescriptor(Author.self, at: "a")])
    }

    // MARK: Selecting

    /// The candidates of a subclass's instance, nearest first.
    private var candidates: [RequestDescriptor] {
        let member = RequestMapping(for: MemberProfile.self, ["name"])
        return [
            RequestDescriptor(member, methods: [.post], rootKey: "own POST"),
            RequestDescriptor(member, methods: [.post, .put], rootKey: "own POST or PUT"),
            RequestDescriptor(names, methods: [.post], rootKey: "superclass POST"),
            RequestDescriptor(names, methods: [.post, .put], rootKey: "superclass POST or PUT"),
            RequestDescriptor(Author.self, methods: [.post], rootKey: "other"),
        ]
    }

    @Test(
        .parity("N088", "N089", "N090", "N091", "N092"), arguments: [0, 1, 2, 3, 4],
        [false, true])
    func selectsByClassThenByMethod(dropped: Int, isReversed: Bool) throws {
        let remaining = Array(candidates.dropFirst(dropped))
        let selection = RequestDescriptor.selection(
            for: MemberProfile(name: "Blake"), .post,
            among: isReversed ? remaining.reversed() : remaining)
        if dropped == 4 {
            guard case .none = selection else {
                Issue.record("\(selection)")
                return
            }
        } else if case .descriptor(let descriptor, _) = selection {
            #expect(descriptor.rootKey == candidates[dropped].rootKey)
        } else {
            Issue.record("no descriptor")
        }
    }

    @Test(.parity("N093"), arguments: [false, true])
    func exactMethodPrecedesAllMethods(isReversed: Bool) throws {
        let api = try manager()
        let descriptors = [RequestDescriptor(names), RequestDescriptor(ages, methods: [.post])]
        try api.add(isReversed ? descriptors.reversed() : descriptors)
        let object = Profile(name: "Blake", age: 30)
        #expect(try body(of: api.request(for: object, method: .post, at: "a")) == #"{"age":30}"#)
        #expect(
            try body(of: api.request(for: object, method: .put, at: "a"))
                == #"{"name":"Blake"}"#)
    }

    @Test(.parity("N094")) func subclassPrecedesSuperclass() throws {
        let api = try manager()
        try api.add(RequestDescriptor(names))
        try api.add(
            RequestDescriptor(
                RequestMapping(for: MemberProfile.self, ["age"]), rootKey: "subclassed"))
        let object = MemberProfile(name: "Blake", age: 30)
        #expect(
            try body(of: api.request(for: object, method: .post, at: "a"))
                == #"{"subclassed":{"age":30}}"#)
    }

    // MARK: Without a manager

    @Test(.parity("S005")) func representsObjectWithoutManager() throws {
        let user = MemberProfile(name: "Blake", age: 30)
        let descriptor = RequestDescriptor(names, methods: [.post], rootKey: "user.a")
        #expect(try descriptor.parameters(of: user) == ["user.a": ["name": "Blake"]])
        #expect(
            try descriptor.parameters(of: [user, user])
                == ["user.a": [["name": "Blake"], ["name": "Blake"]]])
        let plain = RequestDescriptor(ages)
        #expect(try plain.parameters(of: user) == ["age": 30])
        #expect(try plain.parameters(of: [user]) == [["age": 30]])
        #expect(try plain.parameters(of: [MemberProfile]()) == [])
        // A manager sends the same.
        let api = try manager()
        try api.add(descriptor)
        let request = try api.request(for: user, method: .post, at: "a")
        #expect(
            body(of: request) == JSONWriter.compact.text(of: try descriptor.parameters(of: user)))
    }

    @Test(.parity("S005")) func choosesMappingWithoutManager() throws {
        var dynamic = DynamicRequestMapping(for: Profile.self)
        dynamic.add(names) { (profile: Profile) in profile.age > 18 }
        dynamic.add(ages)
        let descriptor = RequestDescriptor(dynamic)
        #expect(try descriptor.parameters(of: Profile(name: "a", age: 30)) == ["name": "a"])
        #expect(try descriptor.parameters(of: Profile(name: "a", age: 3)) == ["age": 3])
    }

    @Test(.parity("S005")) func rejectsObjectOfOtherTypeWithoutManager() throws {
        let descriptor = RequestDescriptor(names)
        #expect(code { try descriptor.parameters(of: Author(name: "a")) } == .invalidRequest)
        let invalid = RequestDescriptor(RequestMapping(for: Profile.self, ["nmae"]))
        #expect(code { try invalid.parameters(of: Profile(name: "a")) } == .invalidConfiguration)
        let error = #expect(throws: NetworkingError.self) {
            try RequestDescriptor(Rating.self).parameters(
                of: [Rating(value: 1), Rating(value: .nan)])
        }
        #expect(error?.path == "[1].value")
    }

    private func manager() throws -> ObjectManager {
        try ObjectManager(
            client: HTTPClient(baseURL: "http://127.0.0.1:1/", transport: CurlTransport()),
            requestFormat: .json)
    }
}

/// Returns the body of a request as text.
func body(of request: TransportRequest) -> String {
    String(decoding: request.body.bytes ?? [], as: UTF8.self)
}
