// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTransport

extension Workload {
    /// The workloads that create requests, and send them over a transport that responds at once.
    static let network =
        requests + [
            Workload("get by the client", article) { bytes in
                let client = try client(InstantTransport(bytes))
                let request = TransportRequest(url: client.baseURL)
                return {
                    try run { use(try await client.send(request).collect()) }
                }
            },
            Workload("get by the manager", article) { bytes in
                let api = try manager(bytes, descriptorCount: 1)
                return { try run { use(try await api.get("articles0/7", as: Person.self)) } }
            },
            Workload("get among 10 descriptors", article) { bytes in
                let api = try manager(bytes, descriptorCount: 10)
                return { try run { use(try await api.get("articles5/7", as: Person.self)) } }
            },
            Workload("get among 1,000 descriptors", article) { bytes in
                let api = try manager(bytes, descriptorCount: 1000)
                return { try run { use(try await api.get("articles500/7", as: Person.self)) } }
            },
        ]
        + [10, 990].map { number in
            Workload("page \(number) of a walk", article) { bytes in
                let walk = Walk(try manager(bytes, descriptorCount: 1))
                for _ in 0..<(number - 2) { try walk.fetchPage() }
                return { try walk.fetchPage() }
            }
        }

    // MARK: Requests

    private static let requests = [
        Workload("create a JSON request", parcelText) { _ in try creating(.json) },
        Workload("create a form request", parcelText) { _ in try creating(.formURLEncoded) },
    ]

    private static func parcelText() -> String { "" }

    private static func creating(_ format: MediaType) throws -> () throws -> Void {
        let api = ObjectManager(client: try client(InstantTransport([])))
        try api.setRequestFormat(format)
        let parcel = Parcel.sample
        return { use(try api.request(for: parcel, method: .post, at: "parcels")) }
    }

    // MARK: Responses

    /// Returns an object of 0.9 kB.
    private static func article() -> String {
        let text = String(repeating: "text ", count: 150)
        return #"{"id": 7, "name": "blake", "email": "b@example.com", "text": "\#(text)"}"#
    }

    private static func client(_ transport: InstantTransport) throws -> HTTPClient {
        var client = try HTTPClient(baseURL: "http://127.0.0.1:8080/", transport: transport)
        // Supervising the time limits of a foreign transport takes a task for each request.
        client.limits.connectTimeout = nil
        client.limits.idleTimeout = nil
        client.limits.totalTimeout = nil
        return client
    }

    /// Returns a manager with descriptors for as many paths.
    private static func manager(_ bytes: [UInt8], descriptorCount: Int) throws -> ObjectManager {
        let api = ObjectManager(client: try client(InstantTransport(bytes)))
        try api.add(
            (0..<descriptorCount).map { ResponseDescriptor(Person.self, at: "articles\($0)/:id") })
        return api
    }
}

/// A walk over pages that never ends.
private final class Walk {
    private var iterator: Pages<Person>.Iterator

    init(_ api: ObjectManager) {
        iterator = api.pages(of: Person.self, at: "articles0/7", by: .pageNumber())
            .makeAsyncIterator()
    }

    func fetchPage() throws {
        let page = try run { [self] in try await iterator.next() }
        guard page?.objects.count == 1 else { fatalError("the walk has ended") }
    }
}

/// A transport that responds with one body, in which each page has an id of its own.
private struct InstantTransport: HTTPTransport {
    private let body: [UInt8]

    init(_ body: [UInt8]) {
        self.body = body
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var body = body
        // Pages by numbers must differ: the query ends with the number, and so does the body.
        if let query = request.url.query {
            body[body.count - 3 - query.utf8.count..<body.count - 3] = ArraySlice(query.utf8)
        }
        let fields: HTTPFields = [
            .contentType: "application/json", .contentLength: "\(body.count)",
        ]
        return TransportResponse(
            to: request, head: HTTPResponse(status: .ok, headerFields: fields),
            body: ResponseBody(body))
    }
}

/// An object with ten properties.
struct Parcel {
    var values: [String]
    var numbers: [Int]
    var weight: Double
    var isFragile: Bool

    static let sample = Parcel(
        values: ["Ann Example", "1 Main Street", "Oslo", "ann@example.com", "a note, with spaces"],
        numbers: [12345, 0, -7], weight: 2.5, isFragile: true)
}

extension Parcel: Mapped {
    struct Draft: MappingDraft {
        private let parcel: Parcel

        init() { parcel = .sample }

        init(editing subject: Parcel) { parcel = subject }

        mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {}

        consuming func finish() throws(MappingFailure) -> Parcel { parcel }
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        switch property {
        case 0...4: try writer.write(values[property])
        case 5...7: try writer.write(numbers[property - 5])
        case 8: try writer.write(weight)
        case 9: try writer.write(isFragile)
        default: break
        }
    }

    static let properties = PropertyTable(
        Parcel.self,
        [
            Property("recipient", \Parcel.values[0], String.self),
            Property("street", \Parcel.values[1], String.self),
            Property("city", \Parcel.values[2], String.self),
            Property("email", \Parcel.values[3], String.self),
            Property("note", \Parcel.values[4], String.self),
            Property("number", \Parcel.numbers[0], Int.self),
            Property("floor", \Parcel.numbers[1], Int.self),
            Property("zone", \Parcel.numbers[2], Int.self),
            Property("weight", \Parcel.weight, Double.self),
            Property("fragile", \Parcel.isFragile, Bool.self),
        ])
}
