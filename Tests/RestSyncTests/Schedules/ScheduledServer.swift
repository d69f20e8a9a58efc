// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestTesting

/// The state of a server with projects, their tickets, and accounts, some of whose projects only one user sees.
struct ScheduledServer {
    struct Ticket {
        var title: String
        var state: String
        var note: String
        var project: Int
        var owner: Int?
    }

    struct Account {
        var login: String
        var email: String
    }

    /// The answer of the server to a request at the moment at which it handles it.
    struct Answer: Sendable {
        var status = 200
        var fields: [(name: String, value: String)] = []
        var body = ""
        /// The objects of the whole representation, also if the body is left out.
        var content: [Representation] = []
        var hasNextPage = false

        var isSuccess: Bool { 200..<300 ~= status || status == 304 }
    }

    /// A request as the server sees it.
    struct Request: Sendable {
        let method: String
        let path: [String]
        let query: [String: String]
        let user: String
        let entityTag: String?
        let body: [String: String?]
    }

    static let users = ["ann", "bob"]
    static let pageSize = 2

    var projects: [Int: String] = [:]
    var hidden: [String: Set<Int>] = [:]
    var tickets: [Int: Ticket] = [:]
    var accounts: [Int: Account] = [:]
    private var lastID = 0

    init() {
        for name in ["a", "b", "c"] { projects[nextID()] = name }
        for login in ["x", "y"] { accounts[nextID()] = Account(login: login, email: "mail") }
        hidden = ["ann": [3], "bob": [1]]
        for project in [1, 2, 2, 3] { insertTicket(in: project, titled: "a") }
    }

    mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    @discardableResult
    mutating func insertTicket(in project: Int, titled title: String) -> Int {
        let id = nextID()
        tickets[id] = Ticket(
            title: title, state: "open", note: "note", project: project,
            owner: accounts.keys.sorted()[id % accounts.count])
        return id
    }

    // MARK: Lists

    func projects(of user: String) -> [Int] {
        projects.keys.sorted().filter { hidden[user]?.contains($0) != true }
    }

    func tickets(of project: Int) -> [Int] {
        tickets.keys.sorted().filter { tickets[$0]?.project == project }
    }

    // MARK: Representations

    private static func text(_ text: String, _ language: String) -> String {
        language == "en" ? text : "\(text)@\(language)"
    }

    func project(_ id: Int, in language: String, detailed: Bool) -> Representation {
        var project = Representation(name: .project(id))
        project.attributes = [("name", Self.text(projects[id] ?? "", language))]
        if detailed {
            project.members = tickets(of: id).map { ticket in
                var member = Representation(name: .ticket(ticket))
                member.attributes = [("title", Self.text(tickets[ticket]?.title ?? "", language))]
                return member
            }
        }
        return project
    }

    func ticket(_ id: Int, in language: String, detailed: Bool) -> Representation {
        var representation = Representation(name: .ticket(id))
        guard let ticket = tickets[id] else { return representation }
        representation.attributes = [
            ("title", Self.text(ticket.title, language)), ("state", ticket.state),
        ]
        var project = Representation(name: .project(ticket.project))
        if detailed {
            representation.attributes.append(("note", ticket.note))
            project = self.project(ticket.project, in: language, detailed: false)
        }
        representation.references = [
            ("project", project),
            ("owner", ticket.owner.map { account($0, detailed: detailed) }),
        ]
        return representation
    }

    func account(_ id: Int, detailed: Bool) -> Representation {
        var representation = Representation(name: .account(id))
        representation.attributes = [("login", accounts[id]?.login)]
        if detailed { representation.attributes.append(("email", accounts[id]?.email)) }
        return representation
    }

    // MARK: Answers

    mutating func answer(_ request: Request) -> Answer {
        let language = request.query["lang"] ?? "en"
        let ids = request.path.map { Int($0) ?? 0 }
        let visible = projects(of: request.user)
        switch (request.method, request.path.first, request.path.count) {
        case ("GET", "projects", 1): return page(of: visible, language, request)
        case ("GET", "projects", 2) where visible.contains(ids[1]):
            return single(project(ids[1], in: language, detailed: true), request)
        case ("GET", "projects", 3) where visible.contains(ids[1]):
            let found = tickets(of: ids[1])
            return list(found.map { ticket($0, in: language, detailed: false) }, request)
        case ("GET", "accounts", 1):
            return list(accounts.keys.sorted().map { account($0, detailed: true) }, request)
        case ("GET", "tickets", 2) where tickets[ids[1]] != nil:
            return single(ticket(ids[1], in: language, detailed: true), request)
        case ("PATCH", "tickets", 2) where tickets[ids[1]] != nil:
            update(ids[1], by: request.body)
            return written(ids[1], request, 200)
        case ("POST", "tickets", 1):
            let sent = request.body["id"]?.flatMap { Int($0) }
            let id = sent ?? nextID()
            if tickets[id] == nil { insertTicket(id) }
            update(id, by: request.body)
            return written(id, request, 201)
        case ("DELETE", "tickets", 2) where tickets[ids[1]] != nil:
            tickets[ids[1]] = nil
            return Answer(status: 204)
        default: return Answer(status: 404)
        }
    }

    private mutating func insertTicket(_ id: Int) {
        tickets[id] = Ticket(
            title: "", state: "open", note: "note", project: projects.keys.min() ?? 0, owner: nil)
    }

    private mutating func update(_ id: Int, by body: [String: String?]) {
        if let title = body["title"] { tickets[id]?.title = title ?? "" }
        if let state = body["state"] { tickets[id]?.state = state ?? "" }
    }

    /// Answers a request that has written a ticket, of which the server sends every second one without a body.
    private func written(_ id: Int, _ request: Request, _ status: Int) -> Answer {
        if status == 200, id.isMultiple(of: 2) { return Answer(status: 204) }
        var answer = Answer(status: status)
        answer.content = [ticket(id, in: "en", detailed: true)]
        answer.body = answer.content[0].json
        return answer
    }

    private func page(of ids: [Int], _ language: String, _ request: Request) -> Answer {
        let number = request.query["page"].flatMap { Int($0) } ?? 1
        let rest = ids.dropFirst((number - 1) * Self.pageSize)
        var answer = Answer()
        answer.hasNextPage = rest.count > Self.pageSize
        if answer.hasNextPage {
            let next = "</projects?lang=\(language)&page=\(number + 1)>; rel=\"next\""
            answer.fields.append(("Link", next))
        }
        let shown = rest.prefix(Self.pageSize)
        answer.content = shown.map { project($0, in: language, detailed: false) }
        return validated(answer, isList: true, request)
    }

    private func list(_ content: [Representation], _ request: Request) -> Answer {
        var answer = Answer()
        answer.content = content
        return validated(answer, isList: true, request)
    }

    private func single(_ content: Representation, _ request: Request) -> Answer {
        var answer = Answer()
        answer.content = [content]
        return validated(answer, isList: false, request)
    }

    /// Adds the body with its entity tag, or leaves it out if the client has it.
    private func validated(_ answer: Answer, isList: Bool, _ request: Request) -> Answer {
        var answer = answer
        let text = answer.content.map(\.json).joined(separator: ",")
        answer.body = isList ? "[\(text)]" : text
        // The digest of the body, which an earlier state can have had as well.
        let digest = answer.body.utf8.reduce(UInt64(14_695_981_039_346_656_037)) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        let tag = "\"\(String(digest, radix: 16))\""
        answer.fields.append(("ETag", tag))
        if request.entityTag == tag { (answer.status, answer.body) = (304, "") }
        return answer
    }
}
