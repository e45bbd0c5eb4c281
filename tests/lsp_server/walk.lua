-- What a user does in Neovim, from 0.7 on: asks, watches, applies, undoes; changes the text while an edit is on its way;
-- cancels. Prints one line of JSON for the test. Arguments: the server's command, the file, the line of the function.

local seen = { progress = {}, messages = {}, applied = {} }
local tokens, hold = {}, nil

local function finish(failure)
  seen.failure = failure
  io.stdout:write(vim.fn.json_encode(seen) .. "\n")
  vim.cmd('qall!')
end

local function wait(what, holds, seconds)
  if not vim.wait((seconds or 240) * 1000, holds, 50) then
    finish('waited in vain for ' .. what)
  end
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
end

local handlers = {
  ['$/progress'] = function(_, result)
    local value = result.value
    tokens[#tokens + 1] = result.token
    table.insert(seen.progress, { kind = value.kind, title = value.title, message = value.message })
  end,
  ['window/showMessage'] = function(_, result)
    table.insert(seen.messages, result.message)
  end,
  ['window/showMessageRequest'] = function(_, result)
    seen.question = result.message
    return result.actions[1]
  end,
  ['workspace/configuration'] = function(_, result)
    return vim.tbl_map(function() return { iterations = 2 } end, result.items)
  end,
  ['workspace/applyEdit'] = function(err, result, context, config)
    if hold then hold() end
    local answer = vim.lsp.handlers['workspace/applyEdit'](err, result, context, config)
    table.insert(seen.applied, answer.applied)
    return answer
  end,
}

vim.cmd('edit ' .. vim.fn.fnameescape(FILE))
local original = text()
local id = vim.lsp.start_client({
  name = 'afterburner',
  cmd = SERVER,
  root_dir = vim.fn.fnamemodify(FILE, ':h'),
  handlers = handlers,
})
vim.lsp.buf_attach_client(0, id)
local client = vim.lsp.get_client_by_id(id)
wait('the server', function() return client.initialized end, 60)

local function ask(kind)
  local place = { line = LINE, character = 0 }
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', {
    textDocument = vim.lsp.util.make_text_document_params(),
    range = { start = place, ['end'] = place },
    context = { diagnostics = {} },
  }, 60000)
  local found = {}
  for _, action in ipairs(answers[id].result or {}) do
    found[action.kind:gsub('refactor.rewrite.afterburner.', '')] = action
  end
  if not found[kind] then finish('there is no action ' .. kind) end
  return found[kind]
end

local function choose(kind)
  vim.lsp.buf_request_sync(0, 'workspace/executeCommand', ask(kind).command, 60000)
end

-- Ask, watch, apply, undo.
choose('time')
wait('the end of the run', function() return #seen.messages >= 1 end)
seen.after = text()
vim.cmd('undo')
seen.undone = text() == original
seen.saved = table.concat(vim.fn.readfile(FILE), '\n') == original

-- The function changes while the edit is on its way.
hold = function()
  hold = nil
  vim.api.nvim_buf_set_lines(0, LINE + 1, LINE + 1, false, { '    # typed' })
end
choose('apply')
wait('what came of the second edit', function() return #seen.messages >= 2 end, 60)
seen.stale = text()
vim.cmd('undo')
if text() ~= original then finish('the text is not the original again') end

-- Cancel.
local before = #seen.progress
choose('memory')
wait('a second run', function() return #seen.progress > before + 1 end, 60)
client.notify('window/workDoneProgress/cancel', { token = tokens[#tokens] })
wait('the end of the cancelled run', function() return seen.progress[#seen.progress].kind == 'end' end, 30)
finish(nil)
